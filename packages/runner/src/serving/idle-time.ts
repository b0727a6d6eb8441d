import type { Clock } from "@switchyard/core/time"

/** Measures how long a runner has been without work. */
export interface IdleTime {
  /** Starts counting from zero again. */
  restart(): void
  /** Resolves when the runner has been idle for too long, or when the signal aborts. */
  untilSpent(options: { signal: AbortSignal }): Promise<void>
}

export interface IdleLimits {
  idleMs: number
  /** Aborts if another session is waiting for this runner's slot. The runner then exits as soon as it is idle. */
  yielding?: AbortSignal
}

/** Delay before the runner yields. It gives a command that was requested together with the runner time to arrive. */
const YIELD_AFTER_MS = 1000

export function createIdleTime(clock: Clock, { idleMs, yielding }: IdleLimits, isBusy: () => boolean): IdleTime {
  let activeAt = clock.monotonic()
  return {
    restart() {
      activeAt = clock.monotonic()
    },
    async untilSpent({ signal }) {
      while (!signal.aborted) {
        const now = clock.monotonic()
        if (isBusy()) activeAt = now
        const spent = now - activeAt
        const limitMs = yielding?.aborted ? Math.min(idleMs, YIELD_AFTER_MS) : idleMs
        if (spent >= limitMs) return
        const woken = yielding && !yielding.aborted ? AbortSignal.any([signal, yielding]) : signal
        await clock.sleep(limitMs - spent, { signal: woken }).catch(() => undefined)
      }
    },
  }
}
