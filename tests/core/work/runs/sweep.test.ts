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
const sealer = { seal: () => new Uint8Array(), open: () => "" }

function sweeperOf(deps: Parameters<typeof sweepWorktree>[0]): SweepDeps["sweepWorktree"] {
  return (subject, options) => sweepWorktree(deps, subject, options)
}

it("asks for a runner while a command waits for one, and no longer than that: each command has an end", async () => {
  const stores = await openStores()
  let now = 0
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const log = createLog({ ...stores, clock })
  const base = {
    ...stores,
    clock,
    log,
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
    due: createDueList(stores.records),
  }
  const session = await openSessionLog(base, "sid", { signal })
  const decide = (rule: Rule) => session.decide(rule, { signal })
  await decide(inOpenSession("s", claimRunner("dead")))
  await decide(requestCommand("cmd_begun", { command: "reset" }))
  await decide(startCommand(1, "cmd_begun", now))
  await decide(requestCommand("cmd_waiting", { command: "reset" }))
  await base.due.add({ kind: "worktree", sid: "sid" }, now, { signal })

  const asked: number[] = []
  const nothing = async () => {}
  const rest = {
    ...base,
    keys: createRunSecrets(stores.records, sealer, clock.now),
    index: createRunIndex(stores.records),
    launcher: { start: nothing, serve: async () => void asked.push(now / 60_000), isGone: () => true },
    ...{
      forgetRun: nothing,
      closeLooseEnds: async () => [],
      sweepSession: nothing,
      sweepArchive: nothing,
      sweepMessages: nothing,
    },
    report: (error: unknown) => expect.unreachable(String(error)),
  }
  const deps = { ...rest, sweepWorktree: sweeperOf(rest) }
  for (let minute = 0; minute < 60; minute++, now += 60_000) await sweep(deps, { signal })
  expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const events = await Array.fromAsync(log.read(logName("sid"), session.state.head, { signal }))
  expect(events.map((event) => [event.type, "command_id" in event && event.command_id])).toEqual([
    ["worktree_command_expired", "cmd_waiting"],
    ["worktree_command_finished", "cmd_begun"],
  ])
  await stores.close()
})

it("asks for a runner while files of a worktree wait to be saved, ever more seldom where each is lost with them", async () => {
  const stores = await openStores()
  let now = 0
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const log = createLog({ ...stores, clock })
  const base = {
    ...stores,
    clock,
    log,
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
    due: createDueList(stores.records),
  }
  const session = await openSessionLog(base, "sid", { signal })
  const decide = (rule: Rule) => session.decide(rule, { signal })
  const saving = (saved: number, total = 2000) => decide(() => [{ type: "workspace_save_progressed", saved, total }])
  const asked: number[] = []
  let isGone = true
  let serve = async () => {}
  const nothing = async () => {}
  const rest = {
    ...base,
    keys: createRunSecrets(stores.records, sealer, clock.now),
    index: createRunIndex(stores.records),
    launcher: {
      start: nothing,
      serve: async () => {
        asked.push(now / 60_000)
        await serve()
      },
      isGone: () => isGone,
    },
    ...{
      forgetRun: nothing,
      closeLooseEnds: async () => [],
      sweepSession: nothing,
      sweepArchive: nothing,
      sweepMessages: nothing,
    },
    report: (error: unknown) => expect.unreachable(String(error)),
  }
  const deps = { ...rest, sweepWorktree: sweeperOf(rest) }
  const sweepFor = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++, now += 60_000) await sweep(deps, { signal })
  }
  await decide(inOpenSession("s", claimRunner("first")))
  await base.due.add({ kind: "worktree", sid: "sid" }, now, { signal })
  await saving(0)

  serve = async () => void (await decide(claimRunner("next")))
  await sweepFor(5)
  expect(asked).toEqual([0, 1, 2, 4])
  await saving(1000)
  expect(worktreeOf(session.state).savingStarts).toBe(0)
  await sweepFor(60)
  expect(asked.slice(4)).toEqual([8, 9, 10, 12, 16])
  const events = await Array.fromAsync(log.read(logName("sid"), 0, { signal }))
  expect(events.slice(-2)).toMatchObject([
    { type: "workspace_save_progressed", saved: 0, total: 0 },
    { type: "agent_notice", text: expect.stringContaining("could not be saved") },
  ])
  expect(await Array.fromAsync(base.due.dueBefore(Number.MAX_SAFE_INTEGER / 10, { signal }))).toEqual([])

  isGone = false
  asked.length = 0
  serve = nothing
  await base.due.add({ kind: "worktree", sid: "sid" }, now, { signal })
  await saving(0)
  await sweepFor(1)
  await saving(0, 0)
  await sweepFor(60)
  expect(asked).toHaveLength(1)
  await stores.close()
})

it("gives a runner that is on its way the time that it takes there, counted from the last word of it", async () => {
  const stores = await openStores()
  let now = 1_000_000
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const log = createLog({ ...stores, clock })
  const base = {
    ...stores,
    clock,
    log,
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
    due: createDueList(stores.records),
  }
  const session = await openSessionLog(base, "sid", { signal })
  await session.decide(inOpenSession("s", createRun({ ...created(), kind: "agent" })), { signal })
  await base.due.add({ kind: "run", sid: "sid", run_id: "run_1" }, now, { signal })

  const launches: number[] = []
  const nothing = async () => {}
  const rest = {
    ...base,
    keys: createRunSecrets(stores.records, sealer, clock.now),
    index: createRunIndex(stores.records),
    launcher: { start: async () => void launches.push(now - 1_000_000), startWithinMs: { runner: 180_000 } },
    ...{
      forgetRun: nothing,
      closeLooseEnds: async () => [],
      sweepSession: nothing,
      sweepArchive: nothing,
      sweepMessages: nothing,
    },
    report: (error: unknown) => expect.unreachable(String(error)),
  }
  const deps = { ...rest, sweepWorktree: sweeperOf(rest) }
  const sweepAt = async (ms: number) => {
    now = 1_000_000 + ms
    await sweep(deps, { signal })
  }
  await sweepAt(170_000)
  const awaited = { type: "runner_awaited" as const, generation: 1, attempt: 1, phase: "pending" as const }
  await session.decide(() => [{ ...awaited, run_id: "run_1", agent_id: "main" }], { signal })
  await sweepAt(190_000)
  await sweepAt(340_000)
  await sweepAt(351_000)
  expect(launches).toEqual([351_000])
  await stores.close()
})

/** A session with an agent's run, its hint, and a sweep of it by a clock that starts at 0. */
async function sessionWithAgent(launcher: Partial<Launcher> = {}) {
  const updates: string[] = []
  const noting = (what: string) => ({
    update: async (_session: unknown, runId: string) => void updates.push(`${what} ${runId}`),
  })
  const stores = await openStores()
  let now = 0
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const log = createLog({ ...stores, clock })
  const shared = { ...stores, clock, log, newId: createNewId(), fold: sessionFold, writer: "test" }
  const due = createDueList(stores.records)
  const session = await openSessionLog(shared, "sid", { signal })
  await due.add({ kind: "run", sid: "sid", run_id: "run_1" }, 30_000, { signal })
  await session.decide(inOpenSession("s", createRun({ ...created(), kind: "agent" })), { signal })
  const launches: number[] = []
  const nothing = async () => {}
  const deps = {
    ...{
      ...shared,
      due,
      forgetRun: nothing,
      closeLooseEnds: async () => [],
      sweepSession: nothing,
      sweepArchive: nothing,
      sweepMessages: nothing,
    },
    ...{ questionIndex: noting("questions"), deliveries: noting("deliveries") },
    keys: createRunSecrets(stores.records, sealer, clock.now),
    index: createRunIndex(stores.records),
    launcher: { start: async () => void launches.push(now), serve: async () => expect.unreachable(), ...launcher },
    report: (error: unknown) => expect.unreachable(String(error)),
  }
  return {
    ...{ session, launches, updates, close: () => stores.close() },
    decide: (rule: Rule) => session.decide(rule, { signal }),
    at(ms: number) {
      now = ms
    },
    async sweepAt(ms: number) {
      now = ms
      await sweep({ ...deps, sweepWorktree: sweeperOf(deps) }, { signal })
      return (await session.catchUp({ signal })).runs.byId.run_1?.status
    },
    async hints() {
      const all = await Array.fromAsync(due.dueBefore(Number.MAX_SAFE_INTEGER / 10, { signal }))
      return all.map(({ subject, at }) => [subject.kind, at])
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
  // It has said nothing since, so it may be dead: each check is as much later.
  await sweepAt(60_000)
  expect(await hints()).toEqual([["worktree", 120_000]])
  await sweepAt(120_000)
  expect(await hints()).toEqual([["worktree", 240_000]])
  await decide(parkRunner(1, "nothing was to be done"))
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
