import { AppError, isAppError, type Settled, settle } from "../../errors.ts"
import type { LogEvent } from "../../events.ts"
import type { DueList } from "../../kernel/due.ts"
import { classifyError, exceptionChain } from "./classify-error.ts"
import type { ClaimedRun } from "./create-run-context.ts"
import { endRun, handOverRun, parkRun, type RunEnd } from "./rules.ts"
import { RunHandOver, RunParked } from "./run-context.ts"
import type { RunSecrets } from "./run-secrets.ts"
import { launchWoken, nextCheckAt } from "./waking.ts"

type WakingDeps = Parameters<typeof launchWoken>[0]

export interface ConcludeDeps extends WakingDeps {
  due: DueList
  keys: RunSecrets
  /** Whether the log has the error messages and the stack of a failure. */
  verboseErrors: boolean
  /** Called with each failure that is the server's own. */
  report: (error: unknown) => void
}

/** The limit for all that an executor does at the end of a run, whose signals may be aborted by then. */
export const CONCLUDE_WITHIN_MS = 30_000

/** Appends the end of an execution: the run completed, failed, was cancelled, parked, or handed over to another executor. */
export async function concludeRun(
  deps: ConcludeDeps,
  { session, sid, runId, generation }: ClaimedRun,
  outcome: Settled & { warning: string | undefined },
  { stopped }: { stopped: AbortSignal },
): Promise<void> {
  const { due, clock } = deps
  const signal = AbortSignal.timeout(CONCLUDE_WITHIN_MS)
  const now = clock.now()
  const { error } = outcome
  const parking = error instanceof RunParked ? error : undefined
  const handOver = error instanceof RunHandOver || (error !== undefined && !parking && stopped.aborted)
  const checkAt = parking?.waitsFor && nextCheckAt(parking.waitsFor, now)
  if (handOver || checkAt) await due.add({ kind: "run", sid, run_id: runId }, checkAt ?? now, { signal })
  const rule = parking
    ? parkRun(runId, generation, { reason: parking.message, waitsFor: parking.waitsFor, now })
    : handOver
      ? handOverRun(runId, generation, now)
      : endRun(runId, generation, now, endOf(outcome, deps.verboseErrors))
  let decided: LogEvent[] = []
  const concluded = await settle(async () => {
    decided = await session.decide(rule, { signal })
  })
  if (concluded.error && !isAppError(concluded.error, "run_superseded")) throw concluded.error
  const launched = await settle(() => launchWoken(deps, session, decided, { signal }))
  // The sweep launches them, too, if a minute later.
  if (launched.error) deps.report(launched.error)
  if (handOver || parking) return
  if (error && !isAppError(error, "run_cancelled")) deps.report(error)
  await deps.keys.erase(runId, { signal })
}

function endOf({ error, warning }: { error?: unknown; warning: string | undefined }, verbose: boolean): RunEnd {
  if (error === undefined) return { type: "run_completed", ...(warning !== undefined && { warning }) }
  // By the work itself, which heard of it in another way than by the log.
  if (isAppError(error, "run_cancelled")) return { type: "run_cancelled", reason: error.message }
  const message = error instanceof AppError ? error.message : "The run failed."
  const chain = verbose ? exceptionChain(error) : undefined
  return { type: "run_failed", message, ...classifyError(error), exception_chain: chain }
}
