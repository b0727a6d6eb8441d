import type { Clock } from "@switchyard/core/time"

export interface Watchdog {
  /** Records a sign of life. The next one may take `withinMs`, by default `idleMs`. */
  touch(withinMs?: number): void
  /** Stops waiting for signs of life until the returned function is called. That call counts as a sign of life. */
  pause(): () => void
  stop(): void
}

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
      // A touch may bring the deadline forward, because `idleMs` may be shorter than `firstMs`.
      await clock.sleep(left <= 0 ? idleMs : Math.min(left, idleMs), { signal: stopped.signal })
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
