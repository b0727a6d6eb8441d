import type { Clock } from "@switchyard/core/time"

/** Decides when a worktree is looked at while an agent works in it. */
export interface LookTimes {
  /** Records that the worktree may have changed. */
  note(): void
  /** Resolves when the next look is due, or when the signal aborts. */
  next(options: { signal: AbortSignal }): Promise<void>
}

/** Shortest interval between two looks. */
const LOOK_EVERY_MS = 5000
/** Interval between looks if nothing was noted, for changes that no event shows. */
const SLOW_LOOK_MS = 30_000

export function createLookTimes(clock: Clock): LookTimes {
  let noted = Promise.withResolvers<void>()
  return {
    note: () => noted.resolve(),
    async next({ signal }) {
      const sleep = (ms: number, until: AbortSignal) => clock.sleep(ms, { signal: until }).catch(() => undefined)
      await sleep(LOOK_EVERY_MS, signal)
      const woken = new AbortController()
      const slow = sleep(SLOW_LOOK_MS - LOOK_EVERY_MS, AbortSignal.any([signal, woken.signal]))
      await Promise.race([noted.promise, slow])
      woken.abort()
      noted = Promise.withResolvers()
    },
  }
}
