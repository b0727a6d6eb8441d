import { LEASE_MARGIN_MS, RENEW_MS } from "@switchyard/core/kernel/lease"
import { type Clock, sleepMeasured } from "@switchyard/core/time"
import { type SweepDeps, sweep } from "@switchyard/core/work/runs/sweep"
import { type DiskDeps, freeDisk } from "./disk.ts"

export interface MaintenanceDeps {
  sweep: SweepDeps
  disk: DiskDeps
  /** Recovers logins left by dead runners. */
  recoverLogins: (options: { signal: AbortSignal; everything?: boolean }) => Promise<void>
  /** Lets the stores return free space to the disk. */
  shrink: () => void
  report: (error: unknown) => void
}

/**
 * Interval between sweeps. A run that waits for a point in time, such as the reset of a limit, continues at most one
 * interval late.
 */
export const SWEEP_EVERY_MS = 5000
const SHRINK_EVERY_SWEEPS = 12
const RECOVER_EVERY_SWEEPS = 12
const FREE_DISK_EVERY_SWEEPS = 180

/**
 * Largest difference between the wall clock and the monotonic clock that counts as drift. A larger difference means
 * that the wall clock was set or the machine slept.
 */
const DRIFT_MS = 2000

/**
 * Until the signal aborts, sweeps every few seconds, shrinks the stores and recovers logins once a minute, and frees
 * disk space every 15 minutes. Reports failures. If the clock was set, the machine slept or this process was paused,
 * waits before the next sweep. Otherwise, live executors would be mistaken for dead ones.
 */
export async function maintain(deps: MaintenanceDeps, { signal }: { signal: AbortSignal }): Promise<void> {
  // Don't report failures that occur because the server is stopping.
  const report = (error: unknown) => {
    if (!signal.aborted) deps.report(error)
  }
  // The previous process may have left runs behind, so the first sweep checks everything.
  await sweep(deps.sweep, { signal, everything: true }).catch(report)
  await deps.recoverLogins({ signal, everything: true }).catch(report)
  const { clock } = deps.sweep
  const measureJump = createJumpMeter(clock)
  for (let sweeps = 0; !signal.aborted; sweeps++) {
    if (sweeps % FREE_DISK_EVERY_SWEEPS === 0) await freeDisk(deps.disk, { signal }).catch(report)
    if (sweeps % SHRINK_EVERY_SWEEPS === 0) shrinkStores(deps)
    let pausedMs = await sleepMeasured(clock, SWEEP_EVERY_MS, { signal }).catch(() => 0)
    let jumpMs = measureJump()
    const allHints = jumpMs < -DRIFT_MS
    // All leases seem to have expired. Wait until live executors have had time to renew theirs.
    while ((pausedMs > 0 || jumpMs > DRIFT_MS) && !signal.aborted) {
      pausedMs = await sleepMeasured(clock, RENEW_MS + LEASE_MARGIN_MS, { signal }).catch(() => 0)
      jumpMs = measureJump()
    }
    if (signal.aborted) return
    await sweep(deps.sweep, { signal, allHints }).catch(report)
    if ((sweeps + 1) % RECOVER_EVERY_SWEEPS === 0) await deps.recoverLogins({ signal }).catch(report)
  }
}

/**
 * Creates a meter. Each call returns how far the clock was set, or how long the machine slept, since the previous call.
 */
function createJumpMeter(clock: Pick<Clock, "now" | "monotonic">): () => number {
  const difference = () => clock.now() - clock.monotonic()
  let last = difference()
  return () => {
    const before = last
    last = difference()
    return last - before
  }
}

/** Shrinks the stores. Failures are temporary, for example because another process is writing. */
function shrinkStores({ shrink, report }: MaintenanceDeps): void {
  try {
    shrink()
  } catch (error) {
    report(error)
  }
}
