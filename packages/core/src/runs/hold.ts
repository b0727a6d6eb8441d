import { AppError, attempt } from "../errors.ts"
import type { SessionLog } from "../sessions/session-log.ts"
import type { ExecutorDeps } from "./execute.ts"
import type { Launch } from "./launcher.ts"
import { LEASE_MS, RENEW_MS, writeLease } from "./lease.ts"
import { asExecutor } from "./rules.ts"

const WATCH_MS = 1000
const LEASE_MARGIN_MS = 5000

/** Renews the lease, and gives up the run before the lease ends if that can't be done: somebody else may have it then. */
export async function keepLease(
  deps: ExecutorDeps<never>,
  { sid, runId }: Launch,
  generation: number,
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
    const until = clock.now() + LEASE_MS
    const renewal = await attempt(() => writeLease(leases, sid, runId, { generation, executor, until }, { signal }))
    if (!renewal.error) renewedAt = asked
    await attempt(() => clock.sleep(renewal.error ? WATCH_MS : RENEW_MS, { signal }))
  }
}

/** Looks at the log now and then, for whoever asks the run to stop doesn't ask its executor. */
export async function watch(
  { clock }: ExecutorDeps<never>,
  session: SessionLog,
  runId: string,
  generation: number,
  signal: AbortSignal,
  stop: (reason: AppError) => void,
): Promise<void> {
  const mayGoOn = asExecutor(runId, generation, [])
  while (!signal.aborted) {
    await attempt(() => clock.sleep(WATCH_MS, { signal }))
    await attempt(() => session.catchUp({ signal }))
    const verdict = mayGoOn(session.state)
    if (verdict instanceof AppError) return stop(verdict)
  }
}
