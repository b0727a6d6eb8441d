import { AppError, settle } from "../../errors.ts"
import { LEASE_MARGIN_MS, LEASE_MS, type Lease, RENEW_MS, renewExpired, writeLease } from "../../kernel/lease.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import { type Clock, sleepMeasured } from "../../time.ts"
import type { ClaimedRun } from "./create-run-context.ts"
import type { Liveness } from "./liveness.ts"
import { appendAsExecutor } from "./rules.ts"

export interface HeartbeatDeps {
  clock: Clock
  /** Store for leases. If this store doesn't respond in time, the executor gives up the run. */
  leases: Records
  /** Name of this executor in the log and in the lease. */
  executor: string
  report: (error: unknown) => void
}

const WATCH_MS = 1000

/**
 * Renews the lease until the executor stops. Gives up the run if the executor hangs. Also gives up the run shortly
 * before the lease expires if the lease can't be renewed, because another executor may then claim the run. If the lease
 * may have expired while the process was paused, the run continues unless another executor has claimed it.
 */
export async function renewLease(
  deps: HeartbeatDeps,
  { session, sid, runId, generation }: ClaimedRun,
  liveness: Liveness,
  signal: AbortSignal,
  giveUp: (reason: AppError) => void,
): Promise<void> {
  const { leases, clock, executor } = deps
  let renewedAt = clock.monotonic()
  while (!signal.aborted) {
    const startedAt = clock.monotonic()
    const lease = { generation, executor, until: clock.now() + LEASE_MS }
    const isLate = startedAt - renewedAt > LEASE_MS - RENEW_MS - LEASE_MARGIN_MS
    // After a long pause, a write could overwrite a successor's lease, so check first.
    if (isLate && !(await renewLate(deps, { session, sid, runId, generation }, lease, signal))) {
      if (signal.aborted) return
      return giveUp(new AppError("run_superseded", "The lease could not be renewed in time."))
    }
    if (liveness.isHung()) {
      deps.report(new Error(`The executor of ${runId} is hanging. Another one will take over the run.`))
      return giveUp(new AppError("run_superseded", "The executor is hanging."))
    }
    const renewal = isLate ? {} : await settle(() => writeLease(leases, sid, runId, lease, { signal }))
    if (!renewal.error) renewedAt = startedAt
    const waitMs = renewal.error ? WATCH_MS : RENEW_MS
    await settle(async () => liveness.paused(await sleepMeasured(clock, waitMs, { signal })))
  }
}

/**
 * Renews a lease that may have expired. Returns false if another executor has claimed the run, if the run was launched
 * again (even without a claim), or if the store doesn't respond in time.
 */
async function renewLate(
  { leases, clock }: HeartbeatDeps,
  { session, sid, runId, generation }: ClaimedRun,
  lease: Lease,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController()
  const limited = AbortSignal.any([signal, over.signal])
  const renew = async () => {
    await session.catchUp({ signal: limited })
    const verdict = appendAsExecutor(runId, generation, [])(session.state)
    return !(verdict instanceof AppError) && (await renewExpired(leases, sid, runId, lease, { signal: limited }))
  }
  const late = clock.sleep(LEASE_MARGIN_MS, { signal: limited })
  const isOurs = await Promise.race([renew().catch(() => false), late.then(nothing, nothing)])
  over.abort()
  return isOurs === true
}

const nothing = () => {}

/**
 * Polls the log for a cancellation or for another executor's claim, because nothing else notifies the executor of
 * these.
 */
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
