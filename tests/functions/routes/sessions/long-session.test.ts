import { openTerminalLog } from "@switchyard/core/agents/terminals/terminal-log"
import type { NewEvent } from "@switchyard/core/events"
import { artifactBlobs } from "@switchyard/core/kernel/keys"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { sessionFold } from "@switchyard/core/state"
import type { Records } from "@switchyard/core/storage/records"
import { systemClock as clock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { claimRun } from "@switchyard/core/work/runs/rules"
import { LOCAL_PRINCIPAL } from "@switchyard/functions/access"
import { expect, it } from "vitest"
import { readFrames } from "../../agents/frames.ts"
import { startServer, type TestServer } from "../../server.ts"

const { signal } = new AbortController()
const size = { rows: 24, cols: 80 }

/** Counts session records that are read: one per get, and one per record in a range. */
function counted(records: Records, count: () => void): Records {
  const ofSession = (partition: string) => partition.startsWith("s/")
  return {
    ...records,
    get(key, options) {
      if (ofSession(key.partition)) count()
      return records.get(key, options)
    },
    async *range(partition, options) {
      if (ofSession(partition)) count()
      for await (const record of records.range(partition, options)) {
        if (ofSession(partition)) count()
        yield record
      }
    },
  }
}

/** Creates a session with a task of this many events and a recorded terminal. */
async function makeSession(server: TestServer, events: number) {
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const core = server.core()
  const { sid } = await core.sessions.find(LOCAL_PRINCIPAL.owner, id, { signal })
  const deps = { ...server.stores, log: core.log, newId: core.newId, fold: sessionFold, writer: "test", clock }
  const session = await openSessionLog(deps, sid, { signal })
  const run = { run_id: core.newId("run"), agent_id: "main" }
  const plain = { account: null, model: null, reasoning: null, repository: null, terminal: size }
  const input = { ...plain, task: "Mend it", cli: "mock" as const }
  await session.decide(createRun({ ...run, kind: "agent", model: "mock", input }), { signal })
  await session.decide(claimRun(run.run_id, "executor", 0), { signal })
  const say = (said: NewEvent[]) => session.decide(() => said.map((event) => ({ ...event, ...run })), { signal })
  await say([
    { type: "terminal_opened", pty: "pty_1", kind: "driver", title: "Mock", ...size },
    { type: "user_message", content: "Mend it", source: "task" },
  ])
  const batch = Math.min(events, 500)
  const notice: NewEvent = { type: "agent_notice", text: "One of many." }
  for (let said = 0; said < events; said += batch) await say(Array.from({ length: batch }, () => notice))
  const { incarnation } = session.state.session
  const recording = `${artifactBlobs(sid, incarnation)}recordings/pty_1.cast`
  await server.stores.blobs.put(recording, Buffer.alloc(1000, "r"), { signal })
  await openTerminalLog(deps, { sid, incarnation, pty: "pty_1", writer: "test" }).append(
    [
      { type: "terminal_snapshot", offset: 0, ...size, screen: "Mended." },
      { type: "terminal_ended", offset: 0, exit_code: 0 },
    ],
    { signal },
  )
  await say([
    { type: "progress", summary: "Half of it" },
    { type: "assistant_message", blocks: [{ kind: "text", content: "Mended." }] },
    { type: "milestone", milestone_type: "coding_complete", title: "Done", summary: "All mended", details: {} },
    { type: "terminal_closed", pty: "pty_1", exit_code: 0, signal: null, recording },
    { type: "run_completed", ...run, duration_ms: 1, workspace_version: 0 },
  ])
  return { path: `/api/v1/sessions/${id}`, task: run.run_id, head: session.state.head }
}

it("answers for a session of 50,000 events with as few reads as for one of 20", async () => {
  let reads = 0
  const server = await startServer({
    wrapStores: (stores) => ({ ...stores, records: counted(stores.records, () => reads++) }),
  })
  const asked = async (events: number) => {
    const { path, task, head } = await makeSession(server, events)
    const terminal = `${path}/terminals/pty_1`
    const body = async (at: string, headers = {}) => (await server.call("GET", at, { headers })).body
    const questions = {
      terminals: async () => (await body(`${path}/terminals`)).terminals.length,
      attach: async () => (await readFrames(server, `${terminal}/stream`).next()).value?.data.screen,
      recording: async () => body(`${terminal}/recording`, { range: "bytes=500-509" }),
      milestones: async () => (await body(`${path}/milestones`)).milestones.length,
      conversation: async () => (await body(`${path}/conversation`)).items.length,
      task: async () => (await body(`${path}/tasks/${task}`)).result,
    }
    const answers: Record<string, unknown> = {}
    const costs: Record<string, number> = {}
    for (const [name, ask] of Object.entries(questions)) {
      const before = reads
      answers[name] = await ask()
      costs[name] = reads - before
    }
    return { head, answers, costs }
  }
  try {
    const [short, long] = [await asked(10), await asked(50_000)]
    expect([short.head, long.head]).toEqual([20, 50_010])
    const answers = { terminals: 1, attach: "Mended.", recording: "r".repeat(10), milestones: 1, conversation: 3 }
    expect(short.answers).toEqual({ ...answers, task: "All mended" })
    expect(long.answers).toEqual(short.answers)
    for (const [name, cost] of Object.entries(long.costs)) {
      expect(cost, name).toBeLessThanOrEqual((short.costs[name] ?? 0) + 12)
    }
  } finally {
    await server.close()
  }
})
