import { AppError, attempt } from "../../errors.ts"
import { LEASE_MS, RENEW_MS, writeLease } from "../../kernel/lease.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { ExecutorDeps } from "./execute.ts"
import type { ClaimableRun } from "./launcher.ts"
import type { Liveness } from "./liveness.ts"
import { asExecutor } from "./rules.ts"

const WATCH_MS = 1000
const LEASE_MARGIN_MS = 5000

/**
 * Renews the lease of an executor that shows signs of life. Gives up the run of one that doesn't, and before the lease ends
 * if it can't be renewed: somebody else may have the run then.
 */
export async function keepLease(
  deps: ExecutorDeps,
  { sid, runId }: ClaimableRun,
  generation: number,
  liveness: Liveness,
  signal: AbortSignal,
  giveUp: (reason: AppError) => void,
): Promise<void> {
  const { leases, clock, executor } = deps
  let renewedAt = clock.monotonic()
  while (!signal.aborted) {
    const asked = clock.monotonic()
    // Asked before the lease is written: who slept too long would write over that of a successor.
    if (asked - renewedAt > LEASE_MS - RENEW_MS - LEASE_MARGIN_MS) {
      return giveUp(new AppError("run_superseded", "The lease could not be renewed in time."))
    }
    if (liveness.isHung()) {
      deps.report(new Error(`The executor of ${runId} hangs: another takes it over.`))
      return giveUp(new AppError("run_superseded", "The executor hangs."))
    }
    const until = clock.now() + LEASE_MS
    const renewal = await attempt(() => writeLease(leases, sid, runId, { generation, executor, until }, { signal }))
    if (!renewal.error) renewedAt = asked
    await attempt(() => clock.sleep(renewal.error ? WATCH_MS : RENEW_MS, { signal }))
  }
}

/** Looks at the log now and then, for whoever asks the run to stop doesn't ask its executor. */
export async function watch(
  { clock }: ExecutorDeps,
  session: SessionLog,
  runId: string,
  generation: number,
  liveness: Liveness,
  signal: AbortSignal,
  stop: (reason: AppError) => void,
): Promise<void> {
  const mayGoOn = asExecutor(runId, generation, [])
  while (!signal.aborted) {
    await attempt(() => clock.sleep(WATCH_MS, { signal }))
    await attempt(() => session.catchUp({ signal }))
    liveness.looked()
    const verdict = mayGoOn(session.state)
    if (verdict instanceof AppError) return stop(verdict)
  }
}
