import { sweepWorktree } from "@switchyard/core/agents/runner/sweep-worktree"
import { reportQueued } from "@switchyard/core/agents/runner/waiting-runs"
import { requestCommand, startCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { claimRunner, parkRunner } from "@switchyard/core/agents/terminals/rules"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { logName } from "@switchyard/core/kernel/keys"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog, type Rule } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { createRun } from "@switchyard/core/work/runs/admission"
import type { Launcher } from "@switchyard/core/work/runs/launcher"
import { claimRun, endRun } from "@switchyard/core/work/runs/rules"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { type SweepDeps, sweep } from "@switchyard/core/work/runs/sweep"
import { expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"
import { created } from "../../kernel/folded.ts"

const { signal } = new AbortController()
const nothing = async () => {}
const sealer = { seal: () => new Uint8Array(), open: () => "" }

/** Opens a session on its own stores, with sweeps by a clock that starts at `startsAt`. */
async function openSwept(
  launcher: SweepDeps["launcher"],
  { startsAt = 0, ...more }: Partial<SweepDeps> & { startsAt?: number } = {},
) {
  const stores = await openStores()
  let now = startsAt
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const deps = {
    ...{ ...stores, clock, launcher, newId: createNewId(), fold: sessionFold, writer: "test" },
    ...{ forgetRun: nothing, closeLooseEnds: async () => [], sweepSession: nothing },
    ...{ sweepArchive: nothing, sweepMessages: nothing },
    log: createLog({ ...stores, clock }),
    due: createDueList(stores.records),
    keys: createRunSecrets(stores.records, sealer, clock.now),
    index: createRunIndex(stores.records),
    report: (error: unknown) => expect.unreachable(String(error)),
    ...more,
  }
  const session = await openSessionLog(deps, "sid", { signal })
  const sweepWorktreeOf: SweepDeps["sweepWorktree"] = (subject, options) => sweepWorktree(deps, subject, options)
  const sweepAt = async (ms: number) => {
    now = ms
    await sweep({ ...deps, sweepWorktree: sweepWorktreeOf }, { signal })
  }
  return {
    ...{ session, log: deps.log, due: deps.due, now: () => now, close: () => stores.close() },
    decide: (rule: Rule) => session.decide(rule, { signal }),
    at(ms: number) {
      now = ms
    },
    sweepAt,
    async sweepFor(minutes: number) {
      for (let minute = 0; minute < minutes; minute++, now += 60_000) await sweepAt(now)
    },
    async hints() {
      const all = await Array.fromAsync(deps.due.dueBefore(Number.MAX_SAFE_INTEGER / 10, { signal }))
      return all.map(({ subject, at }) => [subject.kind, at])
    },
  }
}

it("asks for a runner while a command waits for one, and no longer than that: each command has an end", async () => {
  const asked: number[] = []
  const serve = async () => void asked.push(now() / 60_000)
  const { now, decide, due, sweepFor, log, session, close } = await openSwept({
    start: nothing,
    serve,
    isGone: () => true,
  })
  await decide(inOpenSession("s", claimRunner("dead")))
  await decide(requestCommand("cmd_begun", { command: "reset" }))
  await decide(startCommand(1, "cmd_begun", now()))
  await decide(requestCommand("cmd_waiting", { command: "reset" }))
  await due.add({ kind: "worktree", sid: "sid" }, now(), { signal })

  await sweepFor(60)
  expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const events = await Array.fromAsync(log.read(logName("sid"), session.state.head, { signal }))
  expect(events.map((event) => [event.type, "command_id" in event && event.command_id])).toEqual([
    ["worktree_command_expired", "cmd_waiting"],
    ["worktree_command_finished", "cmd_begun"],
  ])
  await close()
})

it("asks for a runner while files of a worktree wait to be saved, ever more seldom where each is lost with them", async () => {
  const asked: number[] = []
  let isGone = true
  let serves = async () => {}
  const serve = async () => {
    asked.push(now() / 60_000)
    await serves()
  }
  const swept = await openSwept({ start: nothing, serve, isGone: () => isGone })
  const { now, decide, due, sweepFor, hints, session, log, close } = swept
  const saving = (saved: number, total = 2000) => decide(() => [{ type: "workspace_save_progressed", saved, total }])
  await decide(inOpenSession("s", claimRunner("first")))
  await due.add({ kind: "worktree", sid: "sid" }, now(), { signal })
  await saving(0)

  serves = async () => void (await decide(claimRunner("next")))
  await sweepFor(5)
  expect(asked).toEqual([0, 1, 2, 4])
  await saving(1000)
  expect(worktreeOf(session.state).savingStarts).toBe(0)
  await sweepFor(60)
  expect(asked.slice(4)).toEqual([8, 9, 10, 12, 16])
  const events = await Array.fromAsync(log.read(logName("sid"), 0, { signal }))
  expect(events.slice(-2)).toMatchObject([
    { type: "workspace_save_progressed", saved: 0, total: 0 },
    { type: "agent_notice", text: expect.stringContaining("couldn't be saved") },
  ])
  expect(await hints()).toEqual([])

  isGone = false
  asked.length = 0
  serves = nothing
  await due.add({ kind: "worktree", sid: "sid" }, now(), { signal })
  await saving(0)
  await sweepFor(1)
  await saving(0, 0)
  await sweepFor(60)
  expect(asked).toHaveLength(1)
  await close()
})

it("gives a runner that is on its way the time that it takes there, counted from the last word of it", async () => {
  const startsAt = 1_000_000
  const launches: number[] = []
  const start = async () => void launches.push(now() - startsAt)
  const { now, decide, due, sweepAt, close } = await openSwept(
    { start, startWithinMs: { runner: 180_000 } },
    { startsAt },
  )
  await decide(inOpenSession("s", createRun({ ...created(), kind: "agent" })))
  await due.add({ kind: "run", sid: "sid", run_id: "run_1" }, now(), { signal })

  await sweepAt(startsAt + 170_000)
  const awaited = { type: "runner_awaited" as const, generation: 1, attempt: 1, phase: "pending" as const }
  await decide(() => [{ ...awaited, run_id: "run_1", agent_id: "main" }])
  for (const ms of [190_000, 340_000, 351_000]) await sweepAt(startsAt + ms)
  expect(launches).toEqual([351_000])
  await close()
})

/** Opens a session with an agent's run and the run's hint. */
async function sessionWithAgent(launcher: Partial<Launcher> = {}) {
  const updates: string[] = []
  const noting = (what: string) => ({
    update: async (_session: unknown, runId: string) => void updates.push(`${what} ${runId}`),
  })
  const launches: number[] = []
  const start = async () => void launches.push(swept.now())
  const swept = await openSwept(
    { start, serve: async () => expect.unreachable(), ...launcher },
    { questionIndex: noting("questions"), deliveries: noting("deliveries") },
  )
  await swept.due.add({ kind: "run", sid: "sid", run_id: "run_1" }, 30_000, { signal })
  await swept.decide(inOpenSession("s", createRun({ ...created(), kind: "agent" })))
  return {
    ...{ ...swept, launches, updates },
    async sweepAt(ms: number) {
      await swept.sweepAt(ms)
      return (await swept.session.catchUp({ signal })).runs.byId.run_1?.status
    },
  }
}

it("leaves a run that waits for a place to its launcher, for as long as that takes", async () => {
  let isHeld = true
  const { hints, sweepAt, launches, close } = await sessionWithAgent({ isHeld: () => isHeld })
  for (const minute of [1, 2, 3, 60]) expect(await sweepAt(minute * 60_000)).toBe("queued")
  expect(launches).toEqual([])
  expect(await hints()).toEqual([["run", 3_630_000]])
  isHeld = false
  await sweepAt(3_630_000)
  expect(launches).toEqual([3_630_000])
  await close()
})

it("asks a queue on a stage as seldom as it must, and holds up no run that needs no runner", async () => {
  const startWithinMs = { runner: 180_000 }
  const { hints, due, decide, sweepAt, launches, close } = await sessionWithAgent({
    ...{ startWithinMs, isHeld: async () => true },
  })
  await sweepAt(60_000)
  expect(await hints()).toEqual([["run", 240_000]])
  await decide(createRun({ ...created(), run_id: "run_2", agent_id: "second" }))
  await due.add({ kind: "run", sid: "sid", run_id: "run_2" }, 90_000, { signal })
  await sweepAt(300_000)
  expect(launches).toEqual([300_000])
  await close()
})

it("doesn't count a launch as failed that has waited for a place", async () => {
  const { decide, sweepAt, session, close } = await sessionWithAgent()
  for (const minute of [1, 2, 3, 4, 5]) {
    expect(await sweepAt(minute * 60_000)).toBe("queued")
    await decide(reportQueued(1))
  }
  expect(session.state.runs.byId.run_1?.attempts).toBe(0)
  await close()
})

it("presumes an executor alive for a lease after its claim, which it may not have written yet", async () => {
  const { at, decide, hints, sweepAt, launches, close } = await sessionWithAgent()
  at(29_000)
  await decide(claimRun("run_1", "slow", 0))
  expect(await sweepAt(30_000)).toBe("running")
  expect(await hints()).toEqual([["run", 89_000]])
  expect(await sweepAt(89_000)).toBe("queued")
  expect(launches).toEqual([89_000])
  await close()
})

it("looks after a session whose runner may still save the files of a run that ended, till it parks", async () => {
  const { decide, hints, sweepAt, close } = await sessionWithAgent()
  await decide(claimRunner("runner"))
  await decide(claimRun("run_1", "runner", 0))
  await decide(endRun("run_1", 1, 0, { type: "run_completed" }))
  await sweepAt(30_000)
  expect(await hints()).toEqual([["worktree", 60_000]])
  // The runner is silent and may be dead, so the wait before each check doubles.
  await sweepAt(60_000)
  expect(await hints()).toEqual([["worktree", 120_000]])
  await sweepAt(120_000)
  expect(await hints()).toEqual([["worktree", 240_000]])
  await decide(parkRunner(1, "there was nothing left to do"))
  await sweepAt(240_000)
  expect(await hints()).toEqual([])
  await close()
})

it("shows and tells what a runner couldn't, while its run is active and once it has ended", async () => {
  const { decide, sweepAt, updates, close } = await sessionWithAgent()
  await decide(claimRun("run_1", "runner", 0))
  await sweepAt(30_000)
  const once = ["questions run_1", "deliveries run_1"]
  expect(updates).toEqual(once)
  await decide(endRun("run_1", 1, 0, { type: "run_completed" }))
  await sweepAt(60_000)
  expect(updates).toEqual([...once, ...once])
  await close()
})
