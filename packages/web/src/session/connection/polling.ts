import type { PollingDeps, Transport } from "./transport.ts"
import { DELIVERS_AFTER_MS } from "./watchdog.ts"

/** Switches to polling after this many live connections in a row that deliver nothing. */
const SILENT_CONNECTIONS = 2
/** A connection that fails sooner failed for another reason than being held back. */
const UNOPENED_MS = 5_000
const SILENT_MS = 40_000
/**
 * Connects live, or polls if something on the way, such as a proxy, holds back live data. The polling code is loaded
 * only then, because few users need it.
 */
export function withPolling(deps: PollingDeps, live: Transport): Transport {
  let silent = 0
  let poll: Transport | undefined

  return (sources, options) => (silent < SILENT_CONNECTIONS ? byLive(sources, options) : byPoll(sources, options))

  async function* byLive(sources: string, { onHeard, signal }: Parameters<Transport>[1]) {
    const startedAt = deps.now()
    let heardAt = 0
    const notice = () => {
      heardAt = deps.now()
      if (heardAt - startedAt >= DELIVERS_AFTER_MS) silent = 0
      onHeard()
    }
    try {
      yield* live(sources, { onHeard: notice, signal })
    } catch (error) {
      if (deps.now() - (heardAt || startedAt) >= (heardAt ? SILENT_MS : UNOPENED_MS)) silent += 1
      throw error
    }
  }

  async function* byPoll(...asked: Parameters<Transport>) {
    const goLive = () => {
      silent = 0
      poll = undefined
    }
    try {
      poll ??= (await import("./polls.ts")).createPolls(deps, live, goLive)
      yield* poll(...asked)
    } catch (error) {
      // Neither works, so there is probably no network.
      if (!poll) goLive()
      throw error
    }
  }
}
