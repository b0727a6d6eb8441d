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
