import { describeTask, findTask, readConversation, readMilestones } from "@switchyard/core/agents/tasks/task-view"
import { findTerminal, terminalsSince } from "@switchyard/core/agents/terminals/terminal-index"
import type { NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"
import { created } from "../../kernel/folded.ts"
import { noSignal, note, spied } from "../../log/store.ts"

const options = { signal: noSignal() }

let store: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  store = await openStores()
})
afterEach(() => store.close())

/**
 * Opens a session with one ended task of this many events. Returns the number of store calls for each question about
 * the task.
 */
async function askedOf(sid: string, events: number) {
  const { records, calls } = spied(store.records)
  const log = createLog({ records, blobs: store.blobs, clock: systemClock })
  const deps = {
    log,
    records,
    blobs: store.blobs,
    clock: systemClock,
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
  }
  const writer = await openSessionLog(deps, sid, options)
  const run = { run_id: "run_1", agent_id: "main" }
  const input = { task: "Mend it", cli: "mock" as const, account: null, repository: null, model: null, reasoning: null }
  const terminal = { rows: 24, cols: 80 }
  const append = (...said: NewEvent[]) => writer.decide(() => said, options)
  await writer.decide(openSession("mine"), options)
  await append({ ...created(), kind: "agent", input: { ...input, terminal } })
  await append({ type: "run_claimed", ...run, generation: 1, executor: "exe" })
  await append({ type: "terminal_opened", ...run, pty: "pty_1", kind: "driver", title: "mock", ...terminal })
  await append({ type: "user_message", ...run, content: "Mend it", source: "task" })
  for (let i = 0; i < events; i += 50) await append(...Array.from({ length: 50 }, (_, n) => note(`${i + n}`)))
  await append({ type: "progress", ...run, summary: "Half of it" })
  await append({ type: "assistant_message", ...run, blocks: [{ kind: "text", content: "Mended." }] })
  const milestone = { milestone_type: "coding_complete", title: "Done", summary: "All mended", details: {} }
  await append({ type: "milestone", ...run, ...milestone })
  await append({ type: "terminal_closed", ...run, pty: "pty_1", exit_code: 0, signal: null, recording: null })
  await append({ type: "run_completed", ...run, duration_ms: 1, workspace_version: 0 })

  const { state, history } = await openSessionLog(deps, sid, options)
  const session = { sid, sessionId: "mine", state, history, touchedAt: 0 }
  const questions = {
    task: async () => describeTask(deps, session, await findTask(deps, session, "run_1", options), options),
    conversation: async () =>
      (await readConversation(deps, session, { since: 0, ...options })).items.map(({ type }) => type),
    milestones: async () => (await readMilestones(deps, session, 0, options)).map(({ title }) => title),
    terminal: async () => (await findTerminal(deps, session, "pty_1", options)).view.open,
    terminals: async () => (await terminalsSince(deps, session, state.head, options)).length,
  }
  const answers: Record<string, unknown> = {}
  const reads: Record<string, number> = {}
  for (const [name, ask] of Object.entries(questions)) {
    const before = calls.length
    answers[name] = await ask()
    reads[name] = calls.length - before
  }
  return { answers, reads }
}

describe("what lists and tasks are made of", () => {
  it("is found in a long session by as many reads as in a short one", async () => {
    const short = await askedOf("short", 50)
    const long = await askedOf("long", 5000)
    const answers = {
      task: { status: "completed", progress: "Half of it", result: "All mended" },
      conversation: ["user", "assistant", "milestone"],
      milestones: ["Done"],
      terminal: false,
      terminals: 1,
    }
    expect(short.answers).toMatchObject(answers)
    expect(long.answers).toMatchObject(answers)
    expect(long.reads).toEqual(short.reads)
    expect(Math.max(...Object.values(long.reads))).toBeLessThanOrEqual(6)
  })
})
