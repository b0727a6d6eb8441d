import { AppError, settle } from "../../errors.ts"
import { LEASE_MARGIN_MS, LEASE_MS, RENEW_MS, writeLease } from "../../kernel/lease.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import type { ClaimableRun } from "./launcher.ts"
import type { Liveness } from "./liveness.ts"
import { appendAsExecutor } from "./rules.ts"

export interface HeartbeatDeps {
  clock: Clock
  /** Store of the leases. If it doesn't answer in time, the executor gives up the run. */
  leases: Records
  /** Name of this executor in the log and in the lease. */
  executor: string
  report: (error: unknown) => void
}

const WATCH_MS = 1000

/**
 * Renews the lease of a live executor. Gives up the run of a hung one. If renewal fails, it gives up before the lease
 * ends, because another executor may claim the run then.
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
    // Checked before the write: after too long a pause it would overwrite a successor's lease.
    if (startedAt - renewedAt > LEASE_MS - RENEW_MS - LEASE_MARGIN_MS) {
      return giveUp(new AppError("run_superseded", "The lease could not be renewed in time."))
    }
    if (liveness.isHung()) {
      deps.report(new Error(`The executor of ${runId} hangs. Another one takes over the run.`))
      return giveUp(new AppError("run_superseded", "The executor hangs."))
    }
    const until = clock.now() + LEASE_MS
    const renewal = await settle(() => writeLease(leases, sid, runId, { generation, executor, until }, { signal }))
    if (!renewal.error) renewedAt = startedAt
    await settle(() => clock.sleep(renewal.error ? WATCH_MS : RENEW_MS, { signal }))
  }
}

/** Polls the log for a cancellation or another claim. Nothing else notifies the executor. */
export async function watchForCancel(
  { clock }: Pick<HeartbeatDeps, "clock">,
  session: SessionLog,
  runId: string,
  generation: number,
  liveness: Liveness,
  signal: AbortSignal,
  stop: (reason: AppError) => void,
): Promise<void> {
  const mayContinue = appendAsExecutor(runId, generation, [])
  while (!signal.aborted) {
    await settle(() => clock.sleep(WATCH_MS, { signal }))
    await settle(() => session.catchUp({ signal }))
    liveness.sawLog()
    const verdict = mayContinue(session.state)
    if (verdict instanceof AppError) return stop(verdict)
  }
}
