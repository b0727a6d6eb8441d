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

/** Least time that a shell stays open after its last viewer has left, because a viewer may only have reloaded its page. */
const SHELL_STAYS_MS = 300_000

interface Work {
  isBusy: () => boolean
  /** Returns true if shells are open, even if nobody watches them. */
  hasShells: () => boolean
}

export function createIdleTime(clock: Clock, { idleMs, yielding }: IdleLimits, { isBusy, hasShells }: Work): IdleTime {
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
        const patienceMs = hasShells() ? Math.max(idleMs, SHELL_STAYS_MS) : idleMs
        const limitMs = yielding?.aborted ? Math.min(patienceMs, YIELD_AFTER_MS) : patienceMs
        if (spent >= limitMs) return
        const woken = yielding && !yielding.aborted ? AbortSignal.any([signal, yielding]) : signal
        // A shell may end during the sleep.
        await clock.sleep(Math.min(limitMs - spent, idleMs), { signal: woken }).catch(() => undefined)
      }
    },
  }
}
