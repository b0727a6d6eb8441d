import { createLooseEnds } from "@switchyard/core/agents/runner/loose-ends"
import { claimRunner } from "@switchyard/core/agents/terminals/rules"
import { openTerminalLog } from "@switchyard/core/agents/terminals/terminal-log"
import type { NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { readAll } from "@switchyard/core/storage/blobs"
import { systemClock as clock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { decideEnd } from "@switchyard/core/work/runs/decide-end"
import { cancelRun, claimRun } from "@switchyard/core/work/runs/rules"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { mergeCommandId, stepOfMerge } from "@switchyard/core/work/trains/merge-step"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { created } from "../../kernel/folded.ts"

const { signal } = new AbortController()
const sealer = { seal: () => new Uint8Array(), open: () => "" }
const run = { run_id: "run_1", agent_id: "main" }
const size = { rows: 24, cols: 80 }

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

const report = (error: unknown) => expect.unreachable(String(error))

/** Opens a session whose runner was lost during an agent's turn. */
async function lostSession() {
  const log = createLog({ ...stores, clock })
  const deps = {
    ...stores,
    clock,
    log,
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
    due: createDueList(stores.records),
    report,
  }
  const session = await openSessionLog(deps, "sid", { signal })
  const say = (events: NewEvent[]) => session.decide(() => events.map((event) => ({ ...event, ...run })), { signal })
  await session.decide(inOpenSession("s", createRun({ ...created(), kind: "agent" })), { signal })
  await session.decide(claimRunner("lost"), { signal })
  await session.decide(claimRun("run_1", "lost", 0), { signal })
  await say([
    { type: "terminal_opened", pty: "pty_1", kind: "driver", title: "Mock", ...size },
    { type: "agent_turn_started", cli: "mock", model: null, pty: "pty_1", attempt: 1 },
    { type: "tool_call_started", tool_call_id: "done", tool: "bash", name: "Bash" },
    { type: "tool_call_finished", tool_call_id: "done", exit_code: 0, duration_ms: 1, llm_summary: "" },
    { type: "tool_call_started", tool_call_id: "lost", tool: "bash", name: "Bash" },
  ])
  const bytes = Buffer.from("\u001b[1mI begin.\u001b[0m\r\n$ make\r\n").toString("base64")
  await openTerminalLog(deps, { sid: "sid", incarnation: 1, pty: "pty_1", writer: "lost" }).append(
    [
      { type: "terminal_snapshot", offset: 0, ...size, screen: "" },
      { type: "terminal_bytes", offset: 0, bytes, after: 4 },
    ],
    { signal },
  )
  return { deps, session, say, log }
}

it("are told by the sweep that ends the run, where no runner comes after the one that was lost", async () => {
  const { deps, session } = await lostSession()
  await session.decide(cancelRun("run_1", "enough", clock.now()), { signal })
  await deps.due.add({ kind: "run", sid: "sid", run_id: "run_1" }, clock.now(), { signal })
  const nothing = async () => {}
  await sweep(
    {
      ...deps,
      closeLooseEnds: createLooseEnds(deps),
      sweepWorktree: nothing,
      keys: createRunSecrets(stores.records, sealer, clock.now),
      index: createRunIndex(stores.records),
      launcher: { start: async () => expect.unreachable(), isGone: () => true },
      ...{ forgetRun: nothing, sweepSession: nothing, sweepArchive: nothing, sweepMessages: nothing },
    },
    { signal, everything: true },
  )
  const events = await Array.fromAsync(deps.log.read("s/sid/log", 0, { signal }))
  expect(events.slice(-5)).toMatchObject([
    { type: "tool_call_finished", tool_call_id: "lost", exit_code: null, ...run },
    { type: "agent_turn_finished", outcome: { type: "failed", problem: "cancelled" }, ...run },
    { type: "terminal_output", pty: "pty_1", data: "I begin.\n$ make" },
    { type: "terminal_closed", pty: "pty_1" },
    { type: "run_cancelled", reason: "enough" },
  ])
  const { recording } = events.at(-2) as unknown as { recording: string }
  const source = await stores.blobs.get(recording)
  const cast = source ? (await readAll(source)).toString().trim().split("\n") : []
  expect(JSON.parse(cast[0] ?? "")).toMatchObject({ version: 2, width: 80, height: 24 })
  expect(JSON.parse(cast[1] ?? "")).toEqual([0, "o", "\u001b[1mI begin.\u001b[0m\r\n$ make\r\n"])
  expect((await session.catchUp({ signal })).runner.terminals).toEqual([])
})

it("are read again where somebody ends one of them meanwhile, and told once", async () => {
  const { deps, session, say } = await lostSession()
  const other = await openSessionLog(deps, "sid", { signal })
  const found = other.state.runs.byId.run_1
  if (!found) return expect.unreachable()
  await say([{ type: "tool_call_finished", tool_call_id: "lost", exit_code: 0, duration_ms: 1, llm_summary: "" }])
  const said = await decideEnd(createLooseEnds(deps), other, found, (ends) => () => ends, { signal })
  expect(said.map(({ type }) => type)).toEqual(["agent_turn_finished", "terminal_output", "terminal_closed"])
  expect(await decideEnd(createLooseEnds(deps), other, found, (ends) => () => ends, { signal })).toEqual([])
  expect(session.sid).toBe("sid")
})

it("don't keep a run from its end where a terminal can't be read any more", async () => {
  const { deps, session } = await lostSession()
  const reported: unknown[] = []
  await stores.records.put({ partition: "s/sid/term/pty_1", sort: "000000000003" }, { value: { broken: true } })
  const found = session.state.runs.byId.run_1
  if (!found) return expect.unreachable()
  const withReport = { ...deps, report: (error: unknown) => reported.push(error) }
  const said = await decideEnd(createLooseEnds(withReport), session, found, (ends) => () => ends, { signal })
  expect(said.at(-1)).toMatchObject({ type: "terminal_closed", pty: "pty_1", recording: null })
  expect(reported).toHaveLength(1)
})

it("of a merge train are the merges that were answered before it could tell of them", async () => {
  const { deps, session } = await lostSession()
  await session.decide(() => [{ type: "run_cancelled", ...run, duration_ms: 1, reason: "enough" }], { signal })
  const train = { run_id: "run_2", agent_id: "merges" }
  const merge = { strategy: "squash" as const, delete_worktree: true }
  const worktrees = ["a", "b", "c"]
  const asked = {
    ...created("run_2"),
    kind: "train" as const,
    agent_id: "merges",
    input: { worktrees, merge, checks: false },
  }
  await session.decide(createRun(asked), { signal })
  await session.decide(claimRun("run_2", "lost", 0), { signal })
  const answer = (message: string) => ({
    ...{ success: true, status: "merged", message, target_branch: "main", commit: "c0ffee", checkout: null },
    ...{ worktree_deleted: true, conflicts: null },
  })
  const command = (index: number, events: NewEvent["type"][], message = ""): NewEvent[] => {
    const about = { worktree: worktrees[index] ?? "", command_id: mergeCommandId("run_2", index, 1) }
    const all: NewEvent[] = [
      { type: "worktree_command_requested", ...about, command: { command: "merge", ...merge }, asking_run: "run_2" },
      { type: "worktree_command_started", ...about, generation: 1 },
      { type: "worktree_command_finished", ...about, answer: answer(message), error: null },
    ]
    return all.filter(({ type }) => events.includes(type))
  }
  const [asks, starts, ends] = [
    "worktree_command_requested",
    "worktree_command_started",
    "worktree_command_finished",
  ] as const
  const told = {
    type: "merge_train_step_finished",
    ...train,
    ...stepOfMerge({ index: 0, worktree: "a" }, { answer: answer("A"), error: null }),
  } as const
  // Longer than the texts that the log stores inline.
  const long = "B".repeat(40_000)
  await session.decide(
    () => [
      ...command(0, [asks, starts, ends], "A"),
      told,
      ...command(1, [asks, starts, ends], long),
      ...command(2, [asks]),
    ],
    { signal },
  )
  const found = session.state.runs.byId.run_2
  if (!found) return expect.unreachable()
  const said = await decideEnd(createLooseEnds(deps), session, found, (ends) => () => ends, { signal })
  expect(said).toMatchObject([
    { type: "merge_train_step_finished", ...train, index: 1, worktree: "b", status: "merged", commit: "c0ffee" },
  ])
})
