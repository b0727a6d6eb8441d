import { AppError, settle } from "../../errors.ts"
import { LEASE_MARGIN_MS, LEASE_MS, RENEW_MS, writeLease } from "../../kernel/lease.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import type { ClaimableRun } from "./launcher.ts"
import type { Liveness } from "./liveness.ts"
import { asExecutor } from "./rules.ts"

export interface HeartbeatDeps {
  clock: Clock
  /** The store of the leases: it must answer in time, or the run is given up. */
  leases: Records
  /** This executor's name, in the log and in the lease. */
  executor: string
  report: (error: unknown) => void
}

const WATCH_MS = 1000

/**
 * Renews the lease of a live executor. Gives up the run of a hung one, and before the lease ends if it can't be renewed:
 * another executor may have the run then.
 */
export async function renewLease(
  deps: HeartbeatDeps,
  { sid, runId }: ClaimableRun,
  generation: number,
  liveness: Liveness,
  signal: AbortSignal,
  giveUp: (reason: AppError) => void,
): Promise<void> {
  const { leases, clock, executor } = deps
  let renewedAt = clock.monotonic()
  while (!signal.aborted) {
    const startedAt = clock.monotonic()
    // Checked before the lease is written: after too long a pause it would overwrite that of a successor.
    if (startedAt - renewedAt > LEASE_MS - RENEW_MS - LEASE_MARGIN_MS) {
      return giveUp(new AppError("run_superseded", "The lease could not be renewed in time."))
    }
    if (liveness.isHung()) {
      deps.report(new Error(`The executor of ${runId} hangs. Another one takes the run over.`))
      return giveUp(new AppError("run_superseded", "The executor hangs."))
    }
    const until = clock.now() + LEASE_MS
    const renewal = await settle(() => writeLease(leases, sid, runId, { generation, executor, until }, { signal }))
    if (!renewal.error) renewedAt = startedAt
    await settle(() => clock.sleep(renewal.error ? WATCH_MS : RENEW_MS, { signal }))
  }
}

/** Polls the log for a cancellation or another claim, of which the executor isn't notified otherwise. */
export async function watchForCancel(
  { clock }: Pick<HeartbeatDeps, "clock">,
  session: SessionLog,
  runId: string,
  generation: number,
  liveness: Liveness,
  signal: AbortSignal,
  stop: (reason: AppError) => void,
): Promise<void> {
  const mayContinue = asExecutor(runId, generation, [])
  while (!signal.aborted) {
    await settle(() => clock.sleep(WATCH_MS, { signal }))
    await settle(() => session.catchUp({ signal }))
    liveness.sawLog()
    const verdict = mayContinue(session.state)
    if (verdict instanceof AppError) return stop(verdict)
  }
}
