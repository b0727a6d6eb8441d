import { type SweepDeps, sweep } from "@switchyard/core/work/runs/sweep"
import { type DiskDeps, freeDisk } from "./disk.ts"

export interface MaintenanceDeps {
  sweep: SweepDeps
  disk: DiskDeps
  /** The stores, as far as they can give space back to the disk. */
  shrinking: { shrink(): void }[]
  report: (error: unknown) => void
}

/** The longest that a run which waits for a time, such as the reset of a limit, goes on waiting after it. */
export const SWEEP_EVERY_MS = 5000
const SHRINK_EVERY_SWEEPS = 12
const FREE_DISK_EVERY_SWEEPS = 180

/**
 * Sweeps every few seconds, shrinks the stores once a minute and frees the disk every 15 minutes, until the signal aborts.
 * Failures are reported.
 */
export async function maintain(deps: MaintenanceDeps, { signal }: { signal: AbortSignal }): Promise<void> {
  // What the end of the server cut short is no failure.
  const report = (error: unknown) => {
    if (!signal.aborted) deps.report(error)
  }
  // The process that executed runs here before may be gone: look at everything once.
  await sweep(deps.sweep, { signal, everything: true }).catch(report)
  for (let sweeps = 0; !signal.aborted; sweeps++) {
    if (sweeps % FREE_DISK_EVERY_SWEEPS === 0) await freeDisk(deps.disk, { signal }).catch(report)
    if (sweeps % SHRINK_EVERY_SWEEPS === 0) shrinkStores(deps)
    await deps.sweep.clock.sleep(SWEEP_EVERY_MS, { signal }).catch(() => undefined)
    if (!signal.aborted) await sweep(deps.sweep, { signal }).catch(report)
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
