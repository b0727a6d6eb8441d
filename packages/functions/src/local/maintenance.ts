import { LEASE_MARGIN_MS, RENEW_MS } from "@switchyard/core/kernel/lease"
import type { Clock } from "@switchyard/core/time"
import { type SweepDeps, sweep } from "@switchyard/core/work/runs/sweep"
import { type DiskDeps, freeDisk } from "./disk.ts"

export interface MaintenanceDeps {
  sweep: SweepDeps
  disk: DiskDeps
  /** Has log-ins that dead runners held given back. */
  recoverLogins: (options: { signal: AbortSignal; everything?: boolean }) => Promise<void>
  /** The stores, as far as they can give space back to the disk. */
  shrinking: { shrink(): void }[]
  report: (error: unknown) => void
}

/** The longest that a run which waits for a time, such as the reset of a limit, goes on waiting after it. */
export const SWEEP_EVERY_MS = 5000
const SHRINK_EVERY_SWEEPS = 12
const RECOVER_EVERY_SWEEPS = 12
const FREE_DISK_EVERY_SWEEPS = 180

/** A difference between the two clocks that is no work of setting one, or of a machine that slept. */
const DRIFT_MS = 2000

/**
 * Sweeps every few seconds, shrinks the stores and recovers log-ins once a minute and frees the disk every 15 minutes, until the signal aborts.
 * Failures are reported. Where the clock was set, or the machine slept, no live executor is taken for a dead one, and no dead
 * one for a live one.
 */
export async function maintain(deps: MaintenanceDeps, { signal }: { signal: AbortSignal }): Promise<void> {
  // What the end of the server cut short is no failure.
  const report = (error: unknown) => {
    if (!signal.aborted) deps.report(error)
  }
  // The process that executed runs here before may be gone: look at everything once.
  await sweep(deps.sweep, { signal, everything: true }).catch(report)
  await deps.recoverLogins({ signal, everything: true }).catch(report)
  const { clock } = deps.sweep
  const measureJump = createJumpMeter(clock)
  for (let sweeps = 0; !signal.aborted; sweeps++) {
    if (sweeps % FREE_DISK_EVERY_SWEEPS === 0) await freeDisk(deps.disk, { signal }).catch(report)
    if (sweeps % SHRINK_EVERY_SWEEPS === 0) shrinkStores(deps)
    await clock.sleep(SWEEP_EVERY_MS, { signal }).catch(() => undefined)
    const jumpMs = measureJump()
    // All leases look as if they had ended. Whoever lives renews its own by then.
    if (jumpMs > DRIFT_MS) await clock.sleep(RENEW_MS + LEASE_MARGIN_MS, { signal }).catch(() => undefined)
    if (signal.aborted) return
    await sweep(deps.sweep, { signal, allHints: jumpMs < -DRIFT_MS }).catch(report)
    if ((sweeps + 1) % RECOVER_EVERY_SWEEPS === 0) await deps.recoverLogins({ signal }).catch(report)
  }
}

/** The time by which the clock was set since the last call, or by which a machine that slept is behind. */
function createJumpMeter(clock: Pick<Clock, "now" | "monotonic">): () => number {
  const difference = () => clock.now() - clock.monotonic()
  let last = difference()
  return () => {
    const before = last
    last = difference()
    return last - before
  }
}

/** Failures are temporary, such as another process that writes. */
function shrinkStores({ shrinking, report }: MaintenanceDeps): void {
  try {
    for (const store of shrinking) store.shrink()
  } catch (error) {
    report(error)
  }
}
