import { once } from "node:events"
import { setImmediate as nextTurn } from "node:timers/promises"
import { createLaunchMailbox, runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { claimRunner } from "@switchyard/core/agents/terminals/rules"
import { createNewId } from "@switchyard/core/ids"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog, type Rule } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { createRun } from "@switchyard/core/work/runs/admission"
import type { TaskRequest } from "@switchyard/functions/aws/ecs"
import { createRunnerLauncher } from "@switchyard/functions/aws/runner-launcher"
import { createStagePlaces, mayPark } from "@switchyard/functions/aws/stage-places"
import { suspendParked } from "@switchyard/functions/aws/suspend-parked"
import { createDecisions } from "@switchyard/runner/agents/decisions"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createAttachments } from "../../../packages/runner/src/agents/attachments.ts"
import { launchesIn } from "../../../packages/runner/src/serving/cloud-host.ts"
import { serveInTurns } from "../../../packages/runner/src/serving/standby.ts"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { createSuspendingTasks, type Machine } from "../../fixtures/suspending-tasks.ts"
import { never } from "../../settings.ts"

const options = { signal: never }
const MASTER = new Uint8Array(32).fill(7)
const PLACE = { cluster: "c", task_definition: "runner:1", agent_definitions: {}, subnets: ["s"], security_group: "g" }
const SID = "one"

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

/**
 * Opens a stage whose machines can be suspended, with one session. If `resumes` is false, the machines can't resume.
 */
async function openStage({ resumes = true, jumpMs = 0 } = {}) {
  let elapsed = 0
  const clock = {
    now: () => 1_000_000 + elapsed,
    monotonic: () => elapsed,
    async sleep(ms: number) {
      await nextTurn()
      elapsed += ms
    },
  }
  const base = { ...stores, newId: createNewId(), fold: sessionFold, writer: "test" }
  const core = { ...base, clock, log: createLog({ ...stores, clock }) }
  const session = await openSessionLog(core, SID, options)
  const decide = (rule: Rule) => session.decide(rule, options)
  const { tasks, machines, calls } = createSuspendingTasks(serve, { resumes, jumpMs })

  function serve(task: string, { environment }: TaskRequest, machine: Machine): Promise<void> {
    const { signal } = machine.stop
    const log = createLog({ ...stores, clock: machine.clock })
    const notes = createLaunchMailbox(
      { records: stores.records, now: machine.clock.now },
      { sid: SID, key: runnerKey(MASTER, SID) },
    )
    const yielding = new AbortController()
    const about = { executor: `ecs-${task}`, yielding }
    const untilEnded = async ({ signal }: { signal: AbortSignal }) => {
      if (!signal.aborted) await once(signal, "abort")
    }
    return serveInTurns(
      {
        ...{ ...base, clock: machine.clock, log, executor: about.executor, writer: about.executor },
        ...{ attachments: createAttachments(), decisions: createDecisions(), leases: stores.records },
        ...{ verboseErrors: true, report: () => {}, send() {}, async reconcile() {}, async cleanUp() {} },
        ...{ async keepAsks() {}, async watchCollisions() {} },
        createWork: () => ({
          ...{ agent: async () => {}, train: async () => {}, check: async () => {}, shellCommand: async () => {} },
          login: async () => {},
        }),
        createPreview: () => ({ busy: false, serve: async () => {} }),
        createWorktrees: () => ({
          of: () => {
            throw new Error("No worktree is needed here.")
          },
          ...{ busy: false, hasShells: false, save: async () => {}, serve: untilEnded },
        }),
      },
      {
        ...{ sid: SID, idleMs: 300_000, standby: environment.RUNNER_STANDBY === "true" },
        launches: (given) => launchesIn(notes, machine.clock, { ...about, ...given }),
      },
      { signal },
    )
  }

  const limits = { total: 1, perOwner: 1 }
  const openTasks = async () => tasks
  const launcher = createRunnerLauncher({
    ...core,
    ...{ place: PLACE, masterKey: MASTER, verboseErrors: false, allowedHosts: [], limits, openTasks },
    ownerOf: async () => "ada",
    accountsOf: async () => ({ account: { api_key: "secret", base_url: null, home: "home" } }),
    agentsOf: async () => undefined,
    containerSizeFor: async () => undefined,
    report: () => {},
    logLine: () => {},
  })
  const places = createStagePlaces({ ...core, limits })
  const plain = { account: "a", model: null, reasoning: null, repository: null, terminal: { rows: 24, cols: 80 } }
  let runs = 0

  return {
    ...{ session, decide, calls, places, machines },
    mayPark: () => mayPark(core, options),
    sweep: () => suspendParked({ ...core, places, openTasks }, options),
    /** Creates and launches a run of the session, and waits until it completes. */
    async work() {
      const runId = `run_${++runs}`
      const input = { ...plain, task: "Do it.", cli: "mock" as const }
      await decide(
        inOpenSession("s", createRun({ run_id: runId, agent_id: "main", kind: "agent", model: "mock", input })),
      )
      await launcher.start({ sid: SID, runId, expectedGeneration: 0, kind: "agent" }, options)
      await this.until(() => session.state.runs.byId[runId]?.status === "completed")
    },
    async until(isSo: () => boolean) {
      while (!isSo()) {
        await nextTurn()
        await session.catchUp(options)
      }
    },
    /** Waits until the task's runner has parked, after five idle minutes. */
    async parked(task: string) {
      await this.until(() => session.state.runner.standby === `ecs-${task}`)
    },
    async suspended(task: string) {
      await this.parked(task)
      await this.sweep()
      expect(machines.get(task)?.isSuspended).toBe(true)
    },
    async stopAll() {
      for (const [task, { hasEnded }] of machines) if (!hasEnded) await tasks.stop(task)
      while ([...machines.values()].some(({ hasEnded }) => !hasEnded)) await nextTurn()
    },
  }
}

describe("a runner whose machine can be suspended", () => {
  it.each([
    ["stand still", 0],
    // AWS Lambda MicroVMs behave this way.
    ["go on", 2 * 3600_000],
  ])(
    "is suspended once it has parked, without a place, and resumed for the next run, if its clocks %s",
    async (_how, jumpMs) => {
      const stage = await openStage({ jumpMs })
      await stage.work()
      expect(await stage.mayPark()).toBe(true)
      await stage.sweep()
      expect(stage.calls).toEqual(["run t1"])
      await stage.suspended("t1")
      const stoodAt = stage.machines.get("t1")?.elapsed()
      const another = { sid: "another", owner: "ada", at: 1 }
      expect(await stage.places.take(another, options)).toBeUndefined()
      await stage.places.release("another", undefined, options)
      await stage.sweep()
      expect(stage.machines.get("t1")?.elapsed()).toBe(stoodAt)
      await stage.work()
      expect(stage.calls).toEqual(["run t1", "suspend t1", "resume t1"])
      expect(stage.session.state.runner).toMatchObject({ generation: 2, executor: "ecs-t1", standby: null })
      expect((await stage.places.parking(options)).suspended).toEqual([])
      await stage.suspended("t1")
      await stage.stopAll()
    },
  )

  it("does nothing if another has claimed the session while it stood still, and is stopped", async () => {
    const stage = await openStage()
    await stage.work()
    await stage.suspended("t1")
    // The machine was asked to resume, but another runner claims the session first.
    await stage.decide(() => [{ type: "runner_awaited", generation: 2, attempt: 1, phase: "requested" }])
    await stage.decide(claimRunner("ecs-other"))
    stage.machines.get("t1")?.resume()
    await stage.until(() => stage.machines.get("t1")?.hasEnded === true)
    expect(stage.session.state.runner).toMatchObject({ generation: 2, executor: "ecs-other" })
    await stage.sweep()
    expect(await stage.mayPark()).toBe(false)
  })

  it("is stopped, and another started, where it can't be resumed", async () => {
    const stage = await openStage({ resumes: false })
    await stage.work()
    await stage.suspended("t1")
    await stage.work()
    expect(stage.calls).toEqual(["run t1", "suspend t1", "resume t1", "stop t1", "run t2"])
    expect(stage.session.state.runner).toMatchObject({ executor: "ecs-t2" })
    await stage.stopAll()
  })

  it("is stopped once its session is deleted", async () => {
    const stage = await openStage()
    await stage.work()
    await stage.suspended("t1")
    await stage.decide((state) => [{ type: "session_deleted", incarnation: state.session.incarnation }] as never)
    await stage.sweep()
    await stage.until(() => stage.machines.get("t1")?.hasEnded === true)
    expect(stage.calls).toEqual(["run t1", "suspend t1", "stop t1"])
    expect(await stage.mayPark()).toBe(false)
  })

  it("ends by itself if nobody suspends it", async () => {
    const stage = await openStage()
    await stage.work()
    await stage.parked("t1")
    await stage.until(() => stage.machines.get("t1")?.hasEnded === true)
    await stage.work()
    expect(stage.calls).toEqual(["run t1", "resume t1", "stop t1", "run t2"])
    await stage.stopAll()
  })
})
