// This module is also loaded by browsers, so it must not import anything.

/**
 * Returns the delay of an exponential backoff, which doubles from `firstMs` up to `maxMs`. `attempt` is the number of
 * previous failures.
 */
export function backoffMs(attempt: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** attempt)
}

/** Shortens a delay by up to half, so that clients that failed at the same time don't retry at the same time. */
export function withJitter(ms: number, random: () => number): number {
  return ms * (0.5 + random() / 2)
}

export interface RetryOptions {
  /**
   * Called after each failure. Returns the delay before the next attempt in milliseconds, or undefined to throw the
   * error. `attempt` starts at 0.
   */
  delayMs(error: unknown, attempt: number): number | undefined
  clock: { sleep(ms: number, options: { signal?: AbortSignal }): Promise<void> }
  signal?: AbortSignal
}

/** Runs a task until it succeeds or `delayMs` returns undefined. */
export async function retry<T>(
  task: (attempt: number) => Promise<T>,
  { delayMs, clock, signal }: RetryOptions,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await task(attempt)
    } catch (error) {
      const waitMs = delayMs(error, attempt)
      if (waitMs === undefined) throw error
      await clock.sleep(waitMs, { signal })
    }
  }
}
