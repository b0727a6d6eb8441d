import { setImmediate } from "node:timers/promises"
import { sweepWorktree } from "@switchyard/core/agents/runner/sweep-worktree"
import { pendingCommands } from "@switchyard/core/agents/runner/worktree-command-rules"
import { appendAsRunner, claimRunner, parkRunner } from "@switchyard/core/agents/terminals/rules"
import { type AppError, isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { awaitsSaving } from "@switchyard/core/files/worktrees/saving"
import type { NewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { logName } from "@switchyard/core/kernel/keys"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { decodeBatch } from "@switchyard/core/log/batch"
import { createLog } from "@switchyard/core/log/log"
import { applyEvent, emptySession, type SessionState, sessionFold } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records, StoredRecord } from "@switchyard/core/storage/records"
import { executeRun } from "@switchyard/core/work/runs/execute"
import type { RunKind } from "@switchyard/core/work/runs/kinds"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { createReconcile } from "@switchyard/core/work/runs/reconcile"
import { type RunContext, RunHandOver, RunParked } from "@switchyard/core/work/runs/run-context"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { createRuns } from "@switchyard/core/work/runs/runs"
import { activeRuns, isEnded } from "@switchyard/core/work/runs/state"
import { type SweepDeps, sweep } from "@switchyard/core/work/runs/sweep"
import { confineStores } from "../fixtures/confined-stores.ts"
import { createSimulatedRecords, type Faults } from "./records.ts"
import { createScheduler, type Process, type Scheduler } from "./scheduler.ts"

/** Participants in a session with the real executor, on a store with failing calls, in processes that die. */
export interface HintScenario {
  seed: number
  faults: Faults
  workflows: number
  agents: number
  sweepers: number
  requests: number
  mortality: number
}

export interface HintVariant {
  /** Replaces parts of the sweep, to show that the simulation notices their absence. */
  sweep?: (deps: SweepDeps, records: Records) => SweepDeps
}

const SID = "session"
const OWNER = "anna"
const MANY = 40_000
/**
 * Minutes until everything has ended: first without requests, and then with requests for the runs that wait for one.
 */
const MINUTES = 60
const { signal } = new AbortController()

const noBlobs = new Proxy({} as Blobs, {
  get: () => () => {
    throw new Error("Nothing here is large enough for a blob.")
  },
})

interface Stage {
  scheduler: Scheduler
  connect: (process: Process) => Records
  act: (name: string, mortality: number, body: (process: Process) => Promise<void>) => void
  mortality: number
  newId: NewId
  variant: HintVariant
}

/** Plays a scenario to its end. Resolves to descriptions of all violations. */
export async function simulateHints(scenario: HintScenario, variant: HintVariant = {}): Promise<string[]> {
  const scheduler = createScheduler(scenario.seed)
  const faults = { ...scenario.faults }
  const store = createSimulatedRecords(scheduler, faults)
  const acting = new Set<Process>()
  let ids = 0
  const stage: Stage = {
    ...{ scheduler, variant, connect: store.connect, mortality: scenario.mortality },
    newId: (prefix) => `${prefix}_${String(ids++).padStart(6, "0")}`,
    act(name, mortality, body) {
      const process = { name, mortality, dead: false }
      acting.add(process)
      scheduler.spawn(() =>
        body(process)
          .catch(unlessExpected)
          .finally(() => acting.delete(process)),
      )
    },
  }
  const isQuiet = () => scheduler.tasks() === 0 && [...acting].every(({ dead }) => dead)
  const watcher = createWatcher(() => ({ logged: store.all(logName(SID)), due: store.all("due") }))

  async function untilQuiet(): Promise<string | undefined> {
    for (let step = 0; step < MANY; step++) {
      const nobodyWaits = await scheduler.run({ maxSteps: 1, over: isQuiet })
      if (isQuiet()) return watcher.look()
      // An executor does several things at once, so it may still work although no process waits for a turn.
      if (nobodyWaits) await setImmediate()
      const missing = await watcher.look()
      if (missing) return missing
    }
    return "liveness: a process never comes to an end"
  }

  cast(stage, scenario)
  const wrong = await untilQuiet()
  if (wrong) return [wrong]

  // Once the store works again, the remaining work must end and leave no hints.
  Object.assign(faults, { lost: 0, dropped: 0, late: 0, stalled: 0 } satisfies Faults)
  scheduler.calmDown()
  for (let minute = 0; minute < MINUTES; minute++) {
    stage.act(`last-sweep${minute}`, 0, async (process) => {
      await scheduler.sleep(process, 60_000, { signal })
      await sweepOnce(stage, process)
      if (minute === MINUTES / 2) await cancelAll(stage, process)
    })
    const wrong = await untilQuiet()
    if (wrong) return [wrong]
  }
  return watcher.leftovers(scheduler.now())
}

function cast({ scheduler, ...stage }: Stage, { workflows, agents, sweepers, requests, mortality }: HintScenario) {
  const whole = { scheduler, ...stage }
  const each = (count: number, role: (nth: number) => void) => Array.from({ length: count }, (_, nth) => role(nth))
  each(workflows, (nth) => stage.act(`workflow${nth}`, mortality, (process) => start(whole, process, "workflow")))
  each(agents, (nth) => stage.act(`agent${nth}`, mortality, (process) => start(whole, process, "agent")))
  each(requests, (nth) => stage.act(`request${nth}`, mortality, (process) => request(whole, process)))
  each(sweepers, (nth) =>
    stage.act(`sweep${nth}`, mortality, async (process) => {
      for (let times = 0; times < 10; times++) {
        await scheduler.sleep(process, scheduler.chance(0.5) ? 60_000 : 5000, { signal })
        await sweepOnce(whole, process)
      }
    }),
  )
}

function depsOf({ scheduler, connect, newId }: Stage, process: Process) {
  const records = connect(process)
  const clock = {
    now: scheduler.now,
    monotonic: scheduler.now,
    sleep: (ms: number, options: { signal?: AbortSignal }) => scheduler.sleep(process, ms, options),
  }
  const log = createLog({ records, blobs: noBlobs, clock })
  return { records, blobs: noBlobs, clock, log, newId, fold: sessionFold, writer: process.name, report: () => {} }
}

/** Returns a server's dependencies, which include records outside the session. */
function serverDepsOf(stage: Stage, process: Process) {
  const base = depsOf(stage, process)
  const { records, clock } = base
  return {
    ...base,
    due: createDueList(records),
    index: createRunIndex(records),
    keys: createRunSecrets(records, { seal: () => new Uint8Array(1), open: () => "key" }, clock.now),
    closeLooseEnds: async () => [],
    launcher: {
      start: async (launch: Launch) => launchRun(stage, launch),
      serve: async () =>
        stage.act(`serve${stage.scheduler.random()}`, stage.mortality, (runner) => serve(stage, runner)),
    },
  }
}

async function start(stage: Stage, process: Process, kind: Extract<RunKind, "workflow" | "agent">): Promise<void> {
  const { scheduler } = stage
  await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 60) })
  const runs = createRuns(serverDepsOf(stage, process))
  const about = { owner: OWNER, sid: SID, sessionId: "mine", model: "mock", agentId: process.name, apiKey: "key" }
  const agent = { account: "a", model: null, reasoning: null, repository: null, terminal: { rows: 24, cols: 80 } }
  await (kind === "workflow"
    ? runs.start({ ...about, kind, input: { user_prompt: "x", recursion_limit: 9 } }, { signal })
    : runs.start({ ...about, kind, worktree: process.name, input: { ...agent, cli: "mock", task: "x" } }, { signal }))
}

/** Asks to cancel or resume active runs. */
async function request(stage: Stage, process: Process): Promise<void> {
  const { scheduler } = stage
  await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 200) })
  const deps = serverDepsOf(stage, process)
  const { state } = await openSessionLog(deps, SID, { signal })
  const runs = createRuns(deps)
  for (const { runId, status } of activeRuns(state)) {
    if (status === "parked" && scheduler.chance(0.8)) await runs.resume(OWNER, runId, { signal })
    else if (scheduler.chance(0.3)) await runs.cancel(OWNER, runId, "enough", { signal })
  }
}

async function cancelAll(stage: Stage, process: Process): Promise<void> {
  const deps = serverDepsOf(stage, process)
  const { state } = await openSessionLog(deps, SID, { signal })
  for (const { runId } of activeRuns(state)) await createRuns(deps).cancel(OWNER, runId, "enough", { signal })
}

async function sweepOnce(stage: Stage, process: Process): Promise<void> {
  const deps = serverDepsOf(stage, process)
  const nothing = async () => {}
  const whole: SweepDeps = {
    ...{ ...deps, forgetRun: nothing, sweepSession: nothing, sweepArchive: nothing, sweepMessages: nothing },
    sweepWorktree: (subject, options) => sweepWorktree(deps, subject, options),
  }
  await sweep(stage.variant.sweep?.(whole, deps.records) ?? whole, { signal })
}

/** Launches a run. Sometimes the launch is lost, and sometimes it comes twice. */
function launchRun(stage: Stage, launch: Launch): void {
  const { scheduler } = stage
  if (scheduler.chance(0.1)) return
  for (let times = scheduler.chance(0.1) ? 2 : 1; times > 0; times--) {
    stage.act(`exe${scheduler.random()}`, stage.mortality, (process) => execute(stage, process, launch))
  }
}

/**
 * Executes a run with only its session's records. A workflow's worker may also use others in half of the cases, to
 * reconcile.
 */
async function execute(stage: Stage, process: Process, launch: Launch): Promise<void> {
  const { scheduler } = stage
  const server = serverDepsOf(stage, process)
  const confined = confineStores(server, SID, (use) => {
    throw new Error(`An executor uses ${use}.`)
  })
  const log = createLog({ ...confined, clock: server.clock })
  const { clock, newId, fold, writer, report } = server
  const base = { ...confined, log, clock, newId, fold, writer, report }
  const isTrusted = launch.kind === "workflow" && scheduler.chance(0.5)
  const reconcile = isTrusted ? createReconcile({ ...server, launcher: undefined }) : async () => {}
  const deps = { ...base, reconcile, leases: confined.records, executor: process.name, verboseErrors: false }
  let hasWorked = false
  const work = (context: RunContext<unknown>) => {
    hasWorked = true
    return workOn(stage, process, context)
  }
  if (launch.kind === "workflow") return executeRun({ ...deps, kind: launch.kind, work }, launch, { signal })
  await asRunnerOf(base, process, async (session, generation) => {
    await executeRun({ ...deps, kind: "agent", work }, launch, { signal })
    if (hasWorked) await saveFiles(stage, process, session, generation)
  })
}

/** Serves the session, and saves the remaining files. */
async function serve(stage: Stage, process: Process): Promise<void> {
  const base = depsOf(stage, process)
  await asRunnerOf(base, process, async (session, generation) => {
    if (awaitsSaving(session.state)) await saveFiles(stage, process, session, generation)
  })
}

async function asRunnerOf(
  deps: ReturnType<typeof depsOf>,
  { name }: Process,
  work: (session: SessionLog, generation: number) => Promise<void>,
): Promise<void> {
  const session = await openSessionLog(deps, SID, { signal })
  await session.decide(claimRunner(name), { signal })
  const { generation } = session.state.runner
  await work(session, generation)
  await session.decide(parkRunner(generation, "there was nothing left to do"), { signal })
}

/** Saves files in the background after a run, like a runner with many files. */
async function saveFiles(
  { scheduler }: Stage,
  process: Process,
  session: SessionLog,
  generation: number,
): Promise<void> {
  if (scheduler.chance(0.3)) return
  await scheduler.sleep(process, scheduler.chance(0.3) ? 90_000 : 1000, { signal })
  for (const saved of [0, 1, 2]) {
    await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 30) })
    const progress: NewEvent = { type: "workspace_save_progressed", saved, total: 2 }
    await session.decide(appendAsRunner(generation, [progress]), { signal })
  }
}

/** Does a step, and then ends, fails, parks or hands the run over. */
async function workOn({ scheduler }: Stage, process: Process, context: RunContext<unknown>): Promise<void> {
  await scheduler.sleep(process, scheduler.chance(0.2) ? 40_000 : 1000, { signal: context.signal })
  await context.write([{ type: "agent_notice", text: "I am at it." }])
  const others = activeRuns(context.state()).filter(({ runId }) => runId !== context.runId)
  const pick = scheduler.random()
  if (pick < 0.1) throw new RunHandOver()
  if (pick < 0.2) throw new RunParked("It waits for somebody.")
  if (pick < 0.3) throw new RunParked("It waits.", { until: new Date(scheduler.now() + 150_000).toISOString() })
  if (pick < 0.45 && others[0]) throw new RunParked("It waits for another.", { run: others[0].runId })
  if (pick < 0.5) throw new Error("It failed.")
}

/** Ignores refusals and calls without an answer, after which the caller gives up. */
function unlessExpected(error: unknown): void {
  const expected: AppError["code"][] = [
    ...([
      "storage_unavailable",
      "run_superseded",
      "run_active",
      "run_cancelled",
      "run_ended",
      "run_not_found",
    ] as const),
    "task_invalid",
  ]
  const isExpected = expected.some((code) => isAppError(error, code))
  if (!isExpected && !(error instanceof Error && error.message === "It failed.")) throw error
}

/** Compares the due list with the log. Both are read from the store at the same moment. */
function createWatcher(read: () => { logged: StoredRecord[]; due: StoredRecord[] }) {
  let state: SessionState = emptySession
  let batches = 0

  async function look(): Promise<string | undefined> {
    const { logged, due } = read()
    for (const record of logged.slice(batches)) {
      for (const event of (await decodeBatch<NewEvent>(record)).events) state = applyEvent(state, event)
    }
    batches = logged.length
    return missingHint(state, due)
  }

  return {
    look,
    async leftovers(now: number): Promise<string[]> {
      await look()
      return [
        ...activeRuns(state).map(({ runId, status }) => `liveness: ${runId} is still ${status}`),
        ...(awaitsSaving(state) ? ["liveness: files still wait to be saved"] : []),
        // A hint of a dead runner may be due later.
        ...read().due.flatMap(({ key }) =>
          Number.parseInt(key.sort, 10) < now - 120_000 ? [`left: ${key.sort}`] : [],
        ),
      ]
    },
  }
}

/**
 * Returns a description of a missing hint, if any. Each active run needs one unless only a request wakes it, and so
 * does a session with files to save.
 */
function missingHint(state: SessionState, due: StoredRecord[]): string | undefined {
  const hinted = new Set(due.map(({ key }) => key.sort.slice(key.sort.indexOf("/") + 1)))
  const runs = Object.values(state.runs.byId)
  const unhinted = runs.find((run) => {
    const waitsForRequest = run.status === "parked" && run.waitsFor === null
    return !isEnded(run) && !waitsForRequest && !hinted.has(`${SID}/run/${run.runId}`)
  })
  if (unhinted) return `a hint is missing: of ${unhinted.runId}, which is ${unhinted.status}`
  const hasWork = awaitsSaving(state) || pendingCommands(state).length > 0
  const hasHint = hinted.has(`${SID}/worktree`) || runs.some(({ runId }) => hinted.has(`${SID}/run/${runId}`))
  return hasWork && !hasHint ? "a hint is missing: of the files to save" : undefined
}
