import { setTimeout as delay } from "node:timers/promises"

/** Time as the product knows it, handed in so that tests and simulations own it. */
export interface Clock {
  /** Unix milliseconds. For people and for hints; never for order. */
  now(): number
  /** Milliseconds that only grow, whatever is done to the wall clock. */
  monotonic(): number
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, options: { signal?: AbortSignal }): Promise<void>
}

export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  async sleep(ms, { signal }) {
    try {
      await delay(ms, undefined, { signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  },
}

/** A time that another program named, in Unix milliseconds, as ISO 8601 has it; null for one beyond the years that it has. */
export function isoTime(ms: number | null | undefined): string | null {
  return typeof ms === "number" && ms >= 0 && ms < END_OF_YEARS_MS ? new Date(ms).toISOString() : null
}

const END_OF_YEARS_MS = Date.UTC(10_000, 0)
