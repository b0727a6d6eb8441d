import { type Clock, sleepMeasured } from "@switchyard/core/time"

export interface Watchdog {
  /** Records a sign of life. The next one is due within `withinMs`, by default `idleMs`. */
  touch(withinMs?: number): void
  /** Stops waiting for signs of life until the returned function is called. That call counts as a sign of life. */
  pause(): () => void
  stop(): void
}

/** Longest sleep. If a sleep takes much longer than planned, this process was paused. */
const CHECK_EVERY_MS = 10_000

/** Calls `onSilence` once if there is no sign of life for `firstMs` initially, or for `idleMs` later. */
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
      // A sign of life may bring the deadline forward, because `idleMs` may be shorter than `firstMs`.
      const waitMs = Math.min(left <= 0 ? idleMs : left, idleMs, CHECK_EVERY_MS)
      // While this process is paused, it can't notice any sign of life.
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
