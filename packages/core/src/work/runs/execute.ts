import { isAppError, type Settled, settle } from "../../errors.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { Clock } from "../../time.ts"
import type { Verdict } from "../gate/schema.ts"
import { type ConcludeDeps, concludeRun, type Outcome, type RunRemarks, releaseRun } from "./conclude-run.ts"
import { type ClaimedRun, createRunContext, type RunContextDeps } from "./create-run-context.ts"
import { type HeartbeatDeps, renewLease, watchForCancel } from "./heartbeat.ts"
import type { InputOf, RunKind } from "./kinds.ts"
import type { ClaimableRun, Launch } from "./launcher.ts"
import { createLiveness, type LivenessOptions } from "./liveness.ts"
import { claimRun } from "./rules.ts"
import type { RunWork } from "./run-context.ts"

export interface ExecutorDeps extends SessionLogDeps, RunContextDeps, ConcludeDeps, LivenessOptions, HeartbeatDeps {
  clock: Clock
}

/** A kind of run, and the function that executes it. */
export interface KindOfWork<K extends RunKind> {
  kind: K
  work: RunWork<InputOf<K>>
}

export interface ExecuteOptions {
  /** Aborts when the executor itself must stop. The run is then handed over to another executor. */
  signal: AbortSignal
  /** Milliseconds left for this executor. Unlimited if absent. */
  remainingMs?: () => number
}

/** Time for a superseded run to close its resources. */
const RELEASE_WITHIN_MS = 30_000

/**
 * Executes a run until it ends, or until this executor can't continue. Returns once the run has ended, was handed over,
 * or belongs to another executor. Does nothing if the launch is late or repeated.
 */
export async function executeRun<K extends RunKind>(
  deps: ExecutorDeps & KindOfWork<K>,
  launch: ClaimableRun,
  options: ExecuteOptions,
): Promise<void> {
  const run = await claim(deps, launch, options)
  if (!run) return
  const { superseded, outcome } = await runWork(deps, run, options)
  if (superseded) await releaseRun(deps, run)
  else await concludeRun(deps, run, outcome, { stopped: options.signal })
}

/** Functions that execute runs in workers, by kind of run. */
export type WorkerWorks = {
  [K in "workflow" | "chat" | "team" | "work_node" | "page" | "rewind" | "fork" | "chat_files"]: RunWork<InputOf<K>>
}

/** Executes a run of any kind that workers execute. Throws for other kinds. */
export async function executeInWorker(
  deps: ExecutorDeps,
  works: WorkerWorks,
  launch: Launch,
  options: ExecuteOptions,
): Promise<void> {
  const { kind } = launch
  const work = (works as Partial<Record<RunKind, RunWork<InputOf<RunKind>>>>)[kind]
  if (!work) throw new Error(`Workers don't execute runs of kind ${kind}.`)
  await executeRun({ ...deps, kind, work }, launch, options)
}

interface WorkResult {
  /** True if another executor claimed the run, or if the run's session was deleted. */
  superseded: boolean
  outcome: Outcome
}

/** Does the run's work and, meanwhile, renews the lease and watches the log for a cancellation. */
async function runWork<K extends RunKind>(
  deps: ExecutorDeps & KindOfWork<K>,
  run: ClaimedRun,
  { signal: stopped, remainingMs }: ExecuteOptions,
): Promise<WorkResult> {
  const { session, runId, generation } = run
  const stop = new AbortController()
  const onFailure = (reason: unknown) => stop.abort(reason)
  const left = new AbortController()
  const signal = AbortSignal.any([stopped, stop.signal])
  const idle = AbortSignal.any([signal, left.signal])
  const liveness = createLiveness(deps.clock, deps)
  const background = Promise.all([
    renewLease(deps, run, liveness, idle, onFailure),
    watchForCancel(deps, session, runId, generation, liveness, idle, onFailure),
  ])
  const remarks: RunRemarks = {}
  const working = settle(async () => {
    const execution = { kind: deps.kind, liveness, signal, remainingMs, onFailure }
    const context = await createRunContext(deps, run, execution)
    const warnings = new Set<string>()
    const warn = (text: string) => void Object.assign(remarks, { warning: [...warnings.add(text)].join(" ") })
    const conclude = (verdict: Verdict) => void Object.assign(remarks, { verdict })
    await deps.work({ ...context, warn, conclude })
    await context.write([])
  })
  const lost = lostFor(deps, stop.signal, left.signal)
  const outcome = await Promise.race([working, lost])
  left.abort()
  await Promise.race([background, lost])
  const superseded = isAppError(stop.signal.reason, "run_superseded") || isAppError(outcome.error, "run_superseded")
  return { superseded, outcome: { ...outcome, ...remarks } }
}

/** Resolves `RELEASE_WITHIN_MS` after the run is superseded, even if the run's work hangs and ignores its signal. */
async function lostFor({ clock }: ExecutorDeps, stopped: AbortSignal, left: AbortSignal): Promise<Settled> {
  await new Promise<void>((resolve) => stopped.addEventListener("abort", () => resolve(), { once: true }))
  if (!isAppError(stopped.reason, "run_superseded")) return new Promise<never>(() => {})
  await settle(() => clock.sleep(RELEASE_WITHIN_MS, { signal: left }))
  return { error: stopped.reason }
}

/**
 * Claims the run. Returns undefined if another executor has claimed it, or if this executor must stop. In the latter
 * case, the sweep launches the run again.
 */
async function claim(
  deps: ExecutorDeps,
  { sid, runId, expectedGeneration }: ClaimableRun,
  { signal }: ExecuteOptions,
): Promise<ClaimedRun | undefined> {
  const generation = expectedGeneration + 1
  try {
    const session = await openSessionLog(deps, sid, { signal })
    await session.decide(claimRun(runId, deps.executor, expectedGeneration), { signal })
    return { session, sid, runId, generation }
  } catch (error) {
    if (signal.aborted || isAppError(error, "run_superseded")) return undefined
    throw error
  }
}
