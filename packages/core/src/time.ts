import { setTimeout as delay } from "node:timers/promises"

/** Clock of the product, passed in so that tests and simulations control it. */
export interface Clock {
  /** Unix milliseconds, for people and hints, never for order. */
  now(): number
  /** Milliseconds that never decrease, even if the wall clock is set. */
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

/** Formats another program's Unix milliseconds as ISO 8601, or null if out of range. */
export function isoTime(ms: number | null | undefined): string | null {
  return typeof ms === "number" && ms >= 0 && ms < END_OF_YEARS_MS ? new Date(ms).toISOString() : null
}

const END_OF_YEARS_MS = Date.UTC(10_000, 0)
