import { setImmediate } from "node:timers/promises"
import type { Clock } from "@switchyard/core/time"
import { createWatchdog } from "@switchyard/runner/processes/watchdog"
import { expect, it } from "vitest"

const LIMITS = { firstMs: 60_000, idleMs: 60_000 }

/** A manual clock. If more time passes than a sleeper asked for, the sleeper wakes late. */
function createClock(): Clock & { pass(ms: number): Promise<void> } {
  let time = 0
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => time,
    monotonic: () => time,
    sleep: (ms) => new Promise<void>((wake) => sleepers.add({ at: time + ms, wake })),
    async pass(ms) {
      time += ms
      for (const sleeper of sleepers) {
        if (sleeper.at > time) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      await setImmediate()
    },
  }
}

it("a watchdog doesn't take a pause of its own process for silence, and still notices real silence", async () => {
  const clock = createClock()
  let silences = 0
  const watchdog = createWatchdog({ clock, onSilence: () => silences++ }, LIMITS)
  await clock.pass(30_000)
  watchdog.touch()
  await clock.pass(3_600_000)
  expect(silences).toBe(0)
  for (let seconds = 0; seconds < 45; seconds++) await clock.pass(1000)
  expect(silences).toBe(0)
  for (let seconds = 0; seconds < 70; seconds++) await clock.pass(1000)
  expect(silences).toBe(1)
  watchdog.stop()
})
