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
  /** Stores the leases. If the store doesn't respond in time, the executor gives up the run. */
  leases: Records
  /** Name of this executor in the log and in the lease. */
  executor: string
  report: (error: unknown) => void
}

const WATCH_MS = 1000

/**
 * Renews the lease until the executor stops or hangs. Gives up the run if the executor hangs, or before a lease that
 * can't be renewed expires, because another executor may claim the run then.
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
    // Check before writing: after a long pause, the write would overwrite a successor's lease.
    if (startedAt - renewedAt > LEASE_MS - RENEW_MS - LEASE_MARGIN_MS) {
      return giveUp(new AppError("run_superseded", "The lease could not be renewed in time."))
    }
    if (liveness.isHung()) {
      deps.report(new Error(`The executor of ${runId} is hanging. Another one will take over the run.`))
      return giveUp(new AppError("run_superseded", "The executor is hanging."))
    }
    const until = clock.now() + LEASE_MS
    const renewal = await settle(() => writeLease(leases, sid, runId, { generation, executor, until }, { signal }))
    if (!renewal.error) renewedAt = startedAt
    await settle(() => clock.sleep(renewal.error ? WATCH_MS : RENEW_MS, { signal }))
  }
}

/** Polls the log for a cancellation or another claim, because nothing else notifies the executor. */
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
