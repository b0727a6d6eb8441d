import { errorText } from "../../ui/error-text.ts"
import type { Send, TerminalMessage } from "./connection-update.ts"
import { withPolling } from "./polling.ts"
import { createRetryPause, type RetryPauseDeps } from "./retry-pause.ts"
import { type Source, type SourceUpdate, sourceText } from "./source.ts"
import { openStream } from "./sse.ts"
import { createTransport, type TransportDeps } from "./transport.ts"
import { createWantedSources, type Sink, type WantedSource } from "./wanted-sources.ts"
import { SILENCE_MS } from "./watchdog.ts"

export interface MultiplexerDeps extends TransportDeps, RetryPauseDeps {
  /** Resolves when the followers can take more. */
  ready(): Promise<void>
}

/** Follows many sources over one connection. */
export interface Multiplexer {
  /** Starts following a source, or continues from another position. `key` identifies the follower. */
  follow(key: string, source: Source, sink: Sink): void
  unfollow(key: string): void
  /** Sends a message over the connection. Resolves to false if that wasn't possible or may have failed. */
  send(message: TerminalMessage): Promise<boolean>
  /** Connects now instead of after the pause. */
  retry(): void
  /**
   * Connects if the pause is already over or the connection has been silent for too long. Needed because timers of
   * hidden pages are late, and those of a sleeping computer stop.
   */
  nudge(): void
  close(): void
}

/**
 * A new page follows several sources at once, and a new leader those of all pages. Waiting briefly lets one connection
 * serve all of them.
 */
const SETTLE_MS = 20
const SPREAD_MS = 300

/**
 * Creates the multiplexer. The connection is reopened when a source is added, or when it ends or breaks, and continues
 * from each source's position. Sources without followers stay in it until their next frame, because leaving them out
 * costs a new connection.
 */
export function createMultiplexer(deps: MultiplexerDeps): Multiplexer {
  const closed = new AbortController()
  const wanted = createWantedSources(deps, { signal: closed.signal, onOutdated: change })
  const open = withPolling({ ...deps, openStream }, createTransport(deps))
  /** Set while the connection accepts messages. */
  let sendNow: Send | undefined
  let connection = new AbortController()
  const pause = createRetryPause(deps)
  let isRunning = false
  /** Set while the connection is open. */
  let opened: SourceUpdate | undefined
  let isChanged = false
  let isFull = false
  /** When something was last received from the server. */
  let heardAt = 0
  let lost: SourceUpdate | undefined

  /** Replaces the connection. Nothing more is read from the current one. */
  function change(): void {
    isChanged = true
    opened = undefined
    connection.abort()
    if (isRunning) return
    isRunning = true
    run()
  }

  async function run(): Promise<void> {
    while (wanted.size > 0 && !closed.signal.aborted) {
      if (isChanged) await deps.pause(SETTLE_MS, closed)
      isChanged = false
      connection = new AbortController()
      const chosen = wanted.choose()
      isFull = chosen.length < wanted.size
      if (chosen.length === 0) continue
      const error = await connect(chosen, AbortSignal.any([closed.signal, connection.signal]))
      opened = undefined
      if (isChanged || closed.signal.aborted) continue
      // The server ends every stream after a while. That isn't a failure, so it isn't reported.
      const stopped = AbortSignal.any([closed.signal, connection.signal])
      if (error === undefined) await pause.wait(deps.random() * SPREAD_MS, stopped)
      else {
        const retryMs = pause.afterFailure()
        lost = { type: "lost", retryMs, reason: errorText(error) }
        wanted.tellAll(lost)
        await pause.wait(retryMs, stopped)
      }
    }
    isRunning = false
  }

  /** Returns why the connection failed, or undefined if it ended normally or was given up. */
  async function connect(chosen: WantedSource[], signal: AbortSignal): Promise<unknown> {
    const onHeard = () => {
      pause.afterSuccess()
      heardAt = deps.now()
    }
    const sources = chosen.map(({ source }) => sourceText(source)).join(",")
    try {
      for await (const update of open(sources, { onHeard, signal })) {
        if (signal.aborted) return
        if (update.type === "opened") {
          opened = { type: "opened", isPolled: update.isPolled }
          heardAt = deps.now()
          lost = undefined
          sendNow = update.send
          wanted.tell(chosen, opened)
        } else if (update.type === "refused") {
          if (update.status !== 401) return new Error(`The server responded with status ${update.status}.`)
          wanted.tellAll(update)
          wanted.clear()
          return
        } else {
          wanted.receive(chosen, update.frame, update.size)
          await deps.ready()
        }
        if (signal.aborted) return
      }
    } catch (error) {
      return signal.aborted ? undefined : error
    } finally {
      sendNow = undefined
    }
  }

  return {
    follow(key, source, sink) {
      const isJoined = wanted.add(key, source, sink)
      if (isJoined && isRunning) {
        if (opened) sink(opened, 0)
        else if (lost) sink(lost, 0)
        return
      }
      if (lost) sink(lost, 0)
      change()
    },
    unfollow(key) {
      wanted.remove(key)
      if (wanted.size === 0) connection.abort()
      else if (isFull) change()
    },
    send: async (message) => (sendNow ? sendNow(message) : false),
    retry: pause.skip,
    nudge: () => {
      pause.skipIfDue()
      if (opened && deps.now() - heardAt > SILENCE_MS) change()
    },
    close() {
      closed.abort()
      wanted.clear()
    },
  }
}
