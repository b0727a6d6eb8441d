import { backoffMs } from "@switchyard/core/concurrency/retry"
import type { PollingDeps, Transport } from "./transport.ts"
import { createWatchdog, DELIVERS_AFTER_MS } from "./watchdog.ts"

const PROBED_FOR_MS = 30_000
const FIRST_PROBE_MS = 60_000
const LONGEST_PROBE_MS = 1_800_000
/** The server holds a poll open until there is something to send. */
const HELD_MS = 4_000
/** Frames that every poll may repeat. After them, the next poll can wait. */
const REPEATED = ["snapshot", "resized", "ended", "summary"]
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 4_000

/**
 * Creates a transport that polls: its connections are streams that end soon, with a pause after those that deliver
 * nothing. Occasionally tests whether a live connection delivers. Calls `goLive` if one does, or if the first poll
 * fails too.
 */
export function createPolls(deps: PollingDeps, live: Transport, goLive: () => void): Transport {
  let isProven = false
  let empty = 0
  let probes = 0
  let probeAt = 0
  const delivered = new AbortController()

  return async function* poll(sources, options) {
    if (deps.now() >= probeAt) void probe(sources)
    empty += 1
    try {
      for await (const update of deps.openStream(deps, `${deps.urlOf(sources)}&wait_ms=${HELD_MS}`, options)) {
        isProven = true
        if (update.type === "frame" && !REPEATED.includes(update.frame.event)) empty = 0
        yield update.type === "opened" ? { ...update, isPolled: true } : update
      }
    } catch (error) {
      if (!isProven) goLive()
      throw error
    }
    if (empty === 0) return
    const signal = AbortSignal.any([options.signal, delivered.signal])
    await deps.pause(backoffMs(empty - 1, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), { signal })
  }

  /** Opens a live connection next to the polls to test whether it delivers. */
  async function probe(sources: string): Promise<void> {
    probeAt = Number.POSITIVE_INFINITY
    const startedAt = deps.now()
    const { signal, stop } = createWatchdog(PROBED_FOR_MS)
    const onHeard = () => {
      if (deps.now() - startedAt >= DELIVERS_AFTER_MS) delivered.abort()
    }
    try {
      const options = { onHeard, signal: AbortSignal.any([signal, delivered.signal]) }
      for await (const _ of live(withoutTerminals(sources), options)) if (options.signal.aborted) break
    } catch {
      // It doesn't deliver, which answers the question.
    }
    stop()
    if (delivered.signal.aborted) return goLive()
    probeAt = deps.now() + backoffMs(probes++, FIRST_PROBE_MS, LONGEST_PROBE_MS)
  }
}

/** Leaves out terminals, because a terminal's viewer can have only one connection. */
function withoutTerminals(sources: string): string {
  const sessions = sources.split(",").filter((source) => !source.includes("/"))
  return sessions.length > 0 ? sessions.join() : sources
}
