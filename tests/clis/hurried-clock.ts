import { type Clock, systemClock } from "@switchyard/core/time"

/**
 * Creates a clock with the real time. `hurry` moves it ahead and ends all current sleeps, so that waiting code checks
 * the time again.
 */
export function createHurriedClock(): Clock & { hurry(ms: number): void } {
  let ahead = 0
  let jump = Promise.withResolvers<void>()
  return {
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
    async sleep(ms, options) {
      await Promise.race([systemClock.sleep(ms, options), jump.promise])
    },
    hurry(ms) {
      ahead += ms
      jump.resolve()
      jump = Promise.withResolvers()
    },
  }
}
