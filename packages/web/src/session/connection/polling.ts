import type { PollingDeps, Transport } from "./transport.ts"
import { DELIVERS_AFTER_MS } from "./watchdog.ts"

/** Live connections in a row that bring nothing, after which there are polls. */
const SILENT_CONNECTIONS = 2
/** A connection that fails sooner wasn't held back. */
const UNOPENED_MS = 5_000
const SILENT_MS = 40_000
/**
 * Connects live, and polls where something on the way holds back what comes over a live connection. The polls' own code is
 * loaded then: few ever need it.
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
      // Neither way brings anything, as where there is no network.
      if (!poll) goLive()
      throw error
    }
  }
}
