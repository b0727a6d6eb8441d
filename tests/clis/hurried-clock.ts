import { type Clock, systemClock } from "@switchyard/core/time"

/** The time as it is, until somebody who has seen enough makes it later: then all who wait look whether they waited enough. */
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
