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

/** Doubles from `firstMs` to at most `maxMs`. */
export function backoffMs(attempt: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** attempt)
}

/** Runs one task after the other, in the order of the calls; a task that fails doesn't stop the next. */
export function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task, task)
    last = result
    return result
  }
}
