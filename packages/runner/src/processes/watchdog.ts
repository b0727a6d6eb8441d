import { type Clock, sleepMeasured } from "@switchyard/core/time"

export interface Watchdog {
  /** Records a sign of life. The next one is due within `withinMs`, which is `idleMs` by default. */
  touch(withinMs?: number): void
  /** Stops waiting for signs of life until the returned function is called. Calling it counts as a sign of life. */
  pause(): () => void
  stop(): void
}

/** Maximum sleep. If a sleep takes much longer than planned, this process must have been paused. */
const CHECK_EVERY_MS = 10_000

/**
 * Creates a watchdog. It calls `onSilence` once if there is no sign of life for `firstMs` at the start, or for `idleMs`
 * later.
 */
export function createWatchdog(
  { clock, onSilence }: { clock: Clock; onSilence: () => void },
  { firstMs, idleMs }: { firstMs: number; idleMs: number },
): Watchdog {
  const stopped = new AbortController()
  let patienceMs = firstMs
  let touchedAt = clock.monotonic()
  let pauses = 0
  const watch = async () => {
    for (;;) {
      const left = touchedAt + patienceMs - clock.monotonic()
      if (left <= 0 && pauses === 0) return onSilence()
      // A sign of life may move the deadline forward, because `idleMs` may be shorter than `firstMs`.
      const waitMs = Math.min(left <= 0 ? idleMs : left, idleMs, CHECK_EVERY_MS)
      // Don't count the time while this process was paused, because it couldn't notice any sign of life.
      const pausedMs = await sleepMeasured(clock, waitMs, { signal: stopped.signal })
      touchedAt = Math.min(touchedAt + pausedMs, clock.monotonic())
    }
  }
  watch().catch((error) => {
    if (!stopped.signal.aborted) throw error
  })
  function touch(withinMs: number = idleMs): void {
    touchedAt = clock.monotonic()
    patienceMs = withinMs
  }
  return {
    touch,
    pause() {
      pauses++
      return () => {
        pauses--
        touch()
      }
    },
    stop: () => stopped.abort(),
  }
}
