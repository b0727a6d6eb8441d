import { setTimeout as delay } from "node:timers/promises"

/** Clock for the whole product. It is passed as a dependency, so that tests and simulations can control it. */
export interface Clock {
  /** Returns the time in Unix milliseconds. Use it for display and hints, never for ordering. */
  now(): number
  /** Returns milliseconds that never decrease, even if the wall clock is changed. */
  monotonic(): number
  /** Resolves after this time. Rejects with the signal's reason if the signal aborts. */
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

/** If a timer is late by more than this, the process was paused. Shorter delays also occur on a busy machine. */
const PAUSED_MS = 5000

/**
 * Sleeps. Returns for how long the process was paused during that time, by a signal or because the machine slept.
 * Returns 0 if it wasn't paused. During a pause, other processes couldn't see a sign of life from this process.
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
