import type { Clock } from "../../time.ts"

/**
 * Liveness of an executor, which is a condition for renewing its lease. If a timer alone renewed the lease, a hung
 * executor would keep its run.
 */
export type Liveness = ReturnType<typeof createLiveness>

export interface LivenessOptions {
  /** Time without progress after which the work counts as hung. Absent if the work has its own watchdog. */
  stallAfterMs?: number
  /**
   * Returns the last time at which a store was unavailable, on the monotonic clock. Waiting for a store doesn't count
   * as hanging.
   */
  unavailableAt?: () => number
}

/**
 * Time after which an executor that hasn't read its log counts as hung. Longer than a store call with all its retries.
 */
const BLIND_MS = 120_000

export function createLiveness(
  clock: Clock,
  { stallAfterMs = Number.POSITIVE_INFINITY, unavailableAt = () => Number.NEGATIVE_INFINITY }: LivenessOptions,
) {
  let sawLogAt = clock.monotonic()
  let progressedAt = sawLogAt
  let externalTasks = 0
  const progressed = (): void => {
    progressedAt = clock.monotonic()
  }
  return {
    /** Records that the executor has read its session's log. `watchForCancel` calls this function every second. */
    sawLog(): void {
      sawLogAt = clock.monotonic()
    },
    progressed,
    /** Records that the process was paused for `ms`, during which it couldn't make progress. */
    paused(ms: number): void {
      sawLogAt += ms
      progressedAt += ms
    },
    /**
     * Runs a task that has its own time limits, such as a model call. During the task, a lack of progress doesn't count
     * as hanging.
     */
    async awaitExternal<T>(task: () => Promise<T>): Promise<T> {
      externalTasks++
      try {
        return await task()
      } finally {
        externalTasks--
        progressed()
      }
    },
    isHung(): boolean {
      const sinceMs = (at: number) => clock.monotonic() - Math.max(at, unavailableAt())
      return sinceMs(sawLogAt) > BLIND_MS || (externalTasks === 0 && sinceMs(progressedAt) > stallAfterMs)
    },
  }
}
