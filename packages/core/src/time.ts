import { setTimeout as delay } from "node:timers/promises"

/** Clock of the whole product. It is passed in, so that tests and simulations can control it. */
export interface Clock {
  /** Unix milliseconds. Use for display and hints, never for ordering. */
  now(): number
  /** Milliseconds that never decrease, even if the wall clock is changed. */
  monotonic(): number
  /** Rejects with the signal's reason if aborted. */
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

/** A timer that is later than this shows that the process was paused. On a busy machine, timers are late, too. */
const PAUSED_MS = 5000

/**
 * Sleeps. Returns how long the process was paused during that time, by a signal or because the machine slept, or 0.
 * Other processes couldn't see a sign of life during a pause.
 */
export async function sleepMeasured(clock: Clock, ms: number, options: { signal?: AbortSignal }): Promise<number> {
  const startedAt = clock.monotonic()
  await clock.sleep(ms, options)
  const lateMs = clock.monotonic() - startedAt - ms
  return lateMs > PAUSED_MS ? lateMs : 0
}

/** Formats Unix milliseconds from another program as ISO 8601. Returns null if they are out of range. */
export function isoTime(ms: number | null | undefined): string | null {
  return typeof ms === "number" && ms >= 0 && ms < END_OF_YEARS_MS ? new Date(ms).toISOString() : null
}

const END_OF_YEARS_MS = Date.UTC(10_000, 0)
