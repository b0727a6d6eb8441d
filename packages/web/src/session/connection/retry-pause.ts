import { backoffMs, withJitter } from "@switchyard/core/concurrency/retry"
import type { TransportDeps } from "./transport.ts"

export interface RetryPauseDeps extends Pick<TransportDeps, "pause" | "now" | "random"> {
  /** True if a page is visible. Its viewer shouldn't wait long for the next attempt. */
  isWatched(): boolean
}

/** Pause between two attempts to connect. It grows with each failure in a row. */
export interface RetryPause {
  afterSuccess(): void
  /** Returns the length of the next pause in milliseconds. */
  afterFailure(): number
  wait(ms: number, signal: AbortSignal): Promise<void>
  skip(): void
  /** Ends a pause that would be over by now if the page had been visible. */
  skipIfDue(): void
}

const FIRST_RETRY_MS = 250
/** Longest pauses while a page is visible: for the first failures, and for a server that stays unreachable. */
const WATCHED_RETRY_MS = 1_500
const PATIENT_RETRY_MS = 10_000
const PATIENT_AFTER = 100
const UNWATCHED_RETRY_MS = 30_000

export function createRetryPause(deps: RetryPauseDeps): RetryPause {
  let failures = 0
  let dueAt = 0
  let pausing = new AbortController()
  const delayMs = (isWatched: boolean) => {
    const watchedMs = failures > PATIENT_AFTER ? PATIENT_RETRY_MS : WATCHED_RETRY_MS
    const longestMs = isWatched ? watchedMs : UNWATCHED_RETRY_MS
    return withJitter(backoffMs(failures - 1, FIRST_RETRY_MS, longestMs), deps.random)
  }
  const skip = () => pausing.abort()
  return {
    afterSuccess() {
      failures = 0
    },
    afterFailure() {
      failures += 1
      dueAt = deps.now() + delayMs(true)
      return delayMs(deps.isWatched())
    },
    async wait(ms, signal) {
      pausing = new AbortController()
      await deps.pause(ms, { signal: AbortSignal.any([signal, pausing.signal]) })
    },
    skip,
    skipIfDue() {
      if (deps.now() >= dueAt) skip()
    },
  }
}
