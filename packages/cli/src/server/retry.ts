import { backoffMs, withJitter } from "@switchyard/core/concurrency/retry"
import type { Clock } from "@switchyard/core/time"
import { Refused, Unreachable } from "../errors/errors.ts"

export type RetryPolicy = ReturnType<typeof createRetryPolicy>

interface RetryPolicyDeps {
  clock: Clock
  random: () => number
  /** Maximum outage to wait for, if the server has responded before. */
  outageMs: number
  notice: (text: string) => void
}

// Number of attempts if the server has never responded. It is low, because the URL is probably mistyped or the server
// isn't running.
const FIRST_TRIES = 4
const TRIES_IN_SILENCE = 2
const LONG_MS = 3000

/** Creates the retry policy for a server. All requests to the server share this policy. */
export function createRetryPolicy({ clock, random, outageMs, notice }: RetryPolicyDeps) {
  let known = false
  let failures = 0
  let failingSince = 0

  /** Records that the server has responded, so any outage is over. */
  function recordAnswer(): void {
    if (failures > TRIES_IN_SILENCE && known) notice("Reconnected.")
    known = true
    failures = 0
  }

  /** Waits, with exponential backoff and jitter. Throws `error` if the outage has lasted too long. */
  async function pause(error: Unreachable, { signal }: { signal: AbortSignal }): Promise<void> {
    if (failures === 0) failingSince = clock.monotonic()
    failures += 1
    // A server that sends a time for the retry certainly exists.
    if (error.retryAfterMs > 0) known = true
    const waitMs = Math.max(error.retryAfterMs, withJitter(backoffMs(failures - 1, 200, 10_000), random))
    const lastsMs = clock.monotonic() - failingSince
    if (known ? lastsMs + waitMs > outageMs : failures >= FIRST_TRIES) throw error
    const isLong = failures === 1 && waitMs >= LONG_MS
    if (known && (isLong || failures === TRIES_IN_SILENCE + 1)) notice(`${error.message} Trying again.`)
    await clock.sleep(waitMs, { signal })
  }

  return {
    recordAnswer,
    pause,

    /** Retries a task while the server can't be reached. Gives up if the outage lasts too long. */
    async retry<T>(task: () => Promise<T>, options: { signal: AbortSignal }): Promise<T> {
      for (;;) {
        try {
          const result = await task()
          recordAnswer()
          return result
        } catch (error) {
          if (error instanceof Refused) recordAnswer()
          if (!(error instanceof Unreachable)) throw error
          await pause(error, options)
        }
      }
    },
  }
}
