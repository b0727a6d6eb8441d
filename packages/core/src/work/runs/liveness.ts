import type { Clock } from "../../time.ts"

/** The liveness of one executor, without which its lease isn't renewed: with a timer alone, a hung one would keep its run. */
export interface Liveness {
  /** Records that the executor has read the log of its session, which it does every second. */
  sawLog(): void
  /** Records progress of the work. */
  progressed(): void
  /** Runs a task with time limits of its own, such as a model call, during which no progress is expected. */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
  isHung(): boolean
}

export interface LivenessOptions {
  /** The time without progress after which the work counts as hung; without it, the work has its own watchdog. */
  stallAfterMs?: number
  /** The last time that a store was unavailable, by the monotonic clock: waiting for it isn't hanging. */
  unavailableAt?: () => number
}

/** Longer than a call to a store takes with all its retries. */
const BLIND_MS = 120_000

export function createLiveness(
  clock: Clock,
  { stallAfterMs = Number.POSITIVE_INFINITY, unavailableAt = () => Number.NEGATIVE_INFINITY }: LivenessOptions,
): Liveness {
  let sawLogAt = clock.monotonic()
  let progressedAt = sawLogAt
  let externalTasks = 0
  const progressed = () => {
    progressedAt = clock.monotonic()
  }
  return {
    sawLog() {
      sawLogAt = clock.monotonic()
    },
    progressed,
    async awaitExternal(task) {
      externalTasks++
      try {
        return await task()
      } finally {
        externalTasks--
        progressed()
      }
    },
    isHung() {
      const sinceMs = (at: number) => clock.monotonic() - Math.max(at, unavailableAt())
      return sinceMs(sawLogAt) > BLIND_MS || (externalTasks === 0 && sinceMs(progressedAt) > stallAfterMs)
    },
  }
}
