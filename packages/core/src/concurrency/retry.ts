// Loaded by browsers, too: no imports.

/** Doubles from `firstMs` up to `maxMs`. `attempt` counts the failures before this one. */
export function backoffMs(attempt: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** attempt)
}

/** Shortens a wait by up to half, so that clients that failed together don't all return at once. */
export function withJitter(ms: number, random: () => number): number {
  return ms * (0.5 + random() / 2)
}

export interface RetryOptions {
  /**
   * Called with each failure. Returns the milliseconds until the next attempt, or undefined to throw the error.
   * `attempt` starts at 0.
   */
  delayMs(error: unknown, attempt: number): number | undefined
  clock: { sleep(ms: number, options: { signal?: AbortSignal }): Promise<void> }
  signal?: AbortSignal
}

/** Runs a task until it succeeds, as long as `delayMs` allows. */
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
