import { finishCommand, requestCommand, startCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import type { NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { finishWrite } from "@switchyard/core/sessions/moments/repository-write"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { startWrite } from "@switchyard/core/work/chat/rules"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"

const signal = new AbortController().signal
const agent = { run_id: "run_1", agent_id: "main" }
const write = { commandId: "cmd_1", change: { kind: "reset" as const } }

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

/** Opens a session whose chat was being reset when the run was lost. */
async function abandoned() {
  const clock = systemClock
  const log = createLog({ ...stores, clock })
  const base = { ...stores, log, clock, newId: createNewId(), fold: sessionFold, writer: "test", report: () => {} }
  const session = await openSessionLog(base, "sid", { signal })
  const decide = (...events: NewEvent[]) => session.decide(() => events, { signal })
  await decide(
    { type: "session_opened", session_id: "mine", incarnation: 1, repository: "/theirs" },
    { type: "runner_claimed", generation: 1, executor: "one" },
    { type: "chat_files_requested", ...agent, task: "reset" },
  )
  await session.decide(requestCommand("cmd_1", { command: "reset" }), { signal })
  await session.decide(startWrite(write), { signal })
  const lose = () => decide({ type: "run_cancelled", ...agent, duration_ms: 1, reason: "lost" })
  const finish = () => finishWrite({ ...base, launcher: { serve: async () => {} } }, session, { signal })
  return { session, lose, finish }
}

it("gives up on a change that no runner has begun, at once", async () => {
  const { session, lose, finish } = await abandoned()
  await lose()
  await finish()
  expect(session.state.chat.restore).toMatchObject({
    write: null,
    failure: expect.stringContaining("nothing was done"),
  })
  expect(startCommand(1, "cmd_1", 0)(session.state)).toEqual([])
})

it("takes what became of a change that was begun", async () => {
  const { session, lose, finish } = await abandoned()
  await session.decide(startCommand(1, "cmd_1", systemClock.now()), { signal })
  await lose()
  const answer = { written_files: 1, commit: "abc" }
  await session.decide(finishCommand(1, "cmd_1", { answer, error: null }), { signal })
  await finish()
  expect(session.state.chat.restore).toBe(null)
})
