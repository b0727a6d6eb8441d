import { isAppError, type Settled, settle } from "../../errors.ts"
import type { LogEvent } from "../../events.ts"
import { ModelError } from "../../models/errors.ts"
import type { Verdict } from "../gate/schema.ts"
import { classifyError, exceptionChain } from "./classify-error.ts"
import type { ClaimedRun } from "./create-run-context.ts"
import type { Reconcile } from "./reconcile.ts"
import { endRun, handOverRun, parkRun, type RunEnd } from "./rules.ts"
import { RunHandOver, RunParked } from "./run-context.ts"
import { runOf } from "./state.ts"
import { wokenBy } from "./waking.ts"

export interface ConcludeDeps {
  clock: { now(): number }
  reconcile: Reconcile
  /** True if failures are logged with the messages of the error and all its causes. */
  verboseErrors: boolean
  /** Receives each unexpected failure. */
  report: (error: unknown) => void
}

/** Warning and verdict to store with the end of a run. */
export interface RunRemarks {
  warning?: string
  verdict?: Verdict
}

export type Outcome = Settled & RunRemarks

/** Time limit for concluding a run. It replaces the executor's own signals, which may already be aborted. */
const CONCLUDE_WITHIN_MS = 30_000

const EXPECTED = ["run_cancelled", "invalid_request", "worktree_busy", "not_verified", "task_unfinished"] as const

/** Appends the outcome of the execution: completed, failed, cancelled, parked, or handed over to another executor. */
export async function concludeRun(
  deps: ConcludeDeps,
  run: ClaimedRun,
  outcome: Outcome,
  { stopped }: { stopped: AbortSignal },
): Promise<void> {
  const { session, runId, generation } = run
  const signal = AbortSignal.timeout(CONCLUDE_WITHIN_MS)
  const now = deps.clock.now()
  const { error } = outcome
  const parking = error instanceof RunParked ? error : undefined
  const handOver = error instanceof RunHandOver || (error !== undefined && !parking && stopped.aborted)
  const rule = parking
    ? parkRun(runId, generation, { reason: parking.message, waitsFor: parking.waitsFor, now })
    : handOver
      ? handOverRun(runId, generation, now)
      : endRun(runId, generation, now, endOf(outcome, deps.verboseErrors))
  let decided: LogEvent[] = []
  const concluded = await settle(async () => {
    decided = await session.decide(rule, { signal })
  })
  // Another executor has taken over, which may have caused this failure. The other executor closes what this executor
  // left open. If the failure has another cause, the other executor will encounter it too.
  if (isAppError(concluded.error, "run_superseded")) return releaseRun(deps, run)
  if (concluded.error) throw concluded.error
  // Expected failures are in the session log. Don't report them to the operator.
  const isBeyondDemo = error instanceof ModelError && error.isBeyondDemo
  const isExpected = isBeyondDemo || EXPECTED.some((code) => isAppError(error, code))
  if (!handOver && !parking && error && !isExpected) deps.report(error)
  const reconciled = await settle(async () => {
    for (const moved of new Set([runId, ...wokenBy(decided)])) await deps.reconcile(session, moved, { signal })
  })
  if (reconciled.error) deps.report(reconciled.error)
}

/**
 * Leaves a run to the executor that took it over. If the session was deleted, no other executor will take over, so this
 * executor cleans up.
 */
export async function releaseRun({ reconcile }: ConcludeDeps, { session, runId }: ClaimedRun): Promise<void> {
  if (runOf(session.state, runId)) return
  await reconcile(session, runId, { signal: AbortSignal.timeout(CONCLUDE_WITHIN_MS) })
}

function endOf({ error, warning, verdict }: Outcome, verbose: boolean): RunEnd {
  const shown = verdict && { verdict }
  if (error === undefined) return { type: "run_completed", ...(warning !== undefined && { warning }), ...shown }
  // The run's work was cancelled before the cancellation appeared in the log.
  if (isAppError(error, "run_cancelled")) return { type: "run_cancelled", reason: error.message }
  const { message = "The run failed.", ...failure } = classifyError(error)
  const chain = verbose ? exceptionChain(error) : undefined
  return { type: "run_failed", message, ...failure, ...shown, exception_chain: chain }
}
