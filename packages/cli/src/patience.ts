import { backoffMs, type Clock } from "@switchyard/core/time"
import { Refused, Unreachable } from "./errors.ts"

export interface Patience {
  /** The server answered: an outage, if there was one, is over. */
  heard(): void
  /** Waits a growing, jittered while before the next try; throws `error` when it is time to give up. */
  pause(error: Unreachable, options: { signal: AbortSignal }): Promise<void>
  /** Does a task again for as long as the server can't be reached and patience lasts. */
  retry<T>(task: () => Promise<T>, options: { signal: AbortSignal }): Promise<T>
}

interface PatienceDeps {
  clock: Clock
  random: () => number
  /** How long an outage may last once the server has been heard. */
  outageMs: number
  notice: (text: string) => void
}

// A server that never answered was probably mistyped or not started: waiting a minute for it helps nobody.
const FIRST_TRIES = 4
const TRIES_IN_SILENCE = 2
const LONG_MS = 3000

/** How long to go on with a server that doesn't answer: shared by everything that talks to it. */
export function createPatience({ clock, random, outageMs, notice }: PatienceDeps): Patience {
  let known = false
  let failures = 0
  let failingSince = 0

  function heard() {
    if (failures > TRIES_IN_SILENCE && known) notice("Connected again.")
    known = true
    failures = 0
  }

  async function pause(error: Unreachable, { signal }: { signal: AbortSignal }) {
    if (failures === 0) failingSince = clock.monotonic()
    failures += 1
    // Whoever says when to come back is there.
    if (error.retryAfterMs > 0) known = true
    const waitMs = Math.max(error.retryAfterMs, backoffMs(failures - 1, 200, 10_000) * (0.5 + random() / 2))
    const lastsMs = clock.monotonic() - failingSince
    if (known ? lastsMs + waitMs > outageMs : failures >= FIRST_TRIES) throw error
    const isLong = failures === 1 && waitMs >= LONG_MS
    if (known && (isLong || failures === TRIES_IN_SILENCE + 1)) notice(`${error.message} Trying again.`)
    await clock.sleep(waitMs, { signal })
  }

  return {
    heard,
    pause,

    async retry(task, options) {
      for (;;) {
        try {
          const result = await task()
          heard()
          return result
        } catch (error) {
          if (error instanceof Refused) heard()
          if (!(error instanceof Unreachable)) throw error
          await pause(error, options)
        }
      }
    },
  }
}
