import { isObject } from "../../api/decode.ts"
import { errorText } from "../../ui/error-text.ts"
import type { Send, TerminalMessage } from "./connection-update.ts"
import { withPolling } from "./polling.ts"
import { createRetryPause, type RetryPauseDeps } from "./retry-pause.ts"
import { advance, canJoin, type Frame, type Source, type SourceUpdate, sourceName, sourceText } from "./source.ts"
import { openStream } from "./sse.ts"
import { createTransport, type TransportDeps } from "./transport.ts"
import { SILENCE_MS } from "./watchdog.ts"

export interface MultiplexerDeps extends TransportDeps, RetryPauseDeps {
  /** Resolves when the followers can take more. */
  ready(): Promise<void>
}

/** Receives a source's updates. `size`: length of the frame's text. */
export type Sink = (update: SourceUpdate, size: number) => void

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

/** A followed source, and the position up to which its followers were served. */
interface Wanted {
  source: Source
  sinks: Map<string, Sink>
}

/** The server's limit, and a URL length that every proxy accepts. Further sources wait until there is room. */
const MAX_SOURCES = 100
const MAX_CHARACTERS = 5_000
/**
 * A new page follows several sources at once, and a new leader those of all pages. Waiting briefly lets one connection
 * serve all of them.
 */
const SETTLE_MS = 20
const SPREAD_MS = 300
const SOURCE_RETRY_MS = 5_000

const GONE = ["session_not_found", "session_deleted", "not_found"]

/**
 * Creates the multiplexer. The connection is reopened when a source is added, or when it ends or breaks, and continues
 * from each source's position. Sources without followers stay in it until their next frame, because leaving them out
 * costs a new connection.
 */
export function createMultiplexer(deps: MultiplexerDeps): Multiplexer {
  const wanted = new Map<string, Wanted>()
  const closed = new AbortController()
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

  function tell({ sinks }: Wanted, update: SourceUpdate, size = 0): void {
    for (const sink of [...sinks.values()]) sink(update, size)
  }
  function tellAll(update: SourceUpdate): void {
    for (const one of [...wanted.values()]) tell(one, update)
  }

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
      const chosen = choose(wanted)
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
        tellAll(lost)
        await pause.wait(retryMs, stopped)
      }
    }
    isRunning = false
  }

  /** Returns why the connection failed, or undefined if it ended normally or was given up. */
  async function connect(chosen: [string, Wanted][], signal: AbortSignal): Promise<unknown> {
    const onHeard = () => {
      pause.afterSuccess()
      heardAt = deps.now()
    }
    const sources = chosen.map(([, { source }]) => sourceText(source)).join(",")
    try {
      for await (const update of open(sources, { onHeard, signal })) {
        if (signal.aborted) return
        if (update.type === "opened") {
          opened = { type: "opened", isPolled: update.isPolled }
          heardAt = deps.now()
          lost = undefined
          sendNow = update.send
          for (const [, one] of chosen) tell(one, opened)
        } else if (update.type === "refused") {
          if (update.status !== 401) return new Error(`The server responded with status ${update.status}.`)
          tellAll(update)
          wanted.clear()
          return
        } else {
          receive(chosen, update.frame, update.size)
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

  /** Passes on a frame. Its data contains the source's number. */
  function receive(chosen: [string, Wanted][], { event, data: envelope }: Frame, size: number): void {
    if (!isObject(envelope) || !isObject(envelope.data)) return
    const [name, one] = chosen[Number(envelope.source)] ?? []
    if (name === undefined || !one) return
    if (wanted.get(name) !== one) change()
    else if (event === "error") refuse(name, one, envelope.data)
    else pass(one, { event, data: envelope.data }, size)
  }

  function pass(one: Wanted, frame: Frame, size: number): void {
    one.source = advance(one.source, frame) ?? one.source
    tell(one, { type: "frame", frame }, size)
    // After this, the server would only report that the session doesn't exist.
    if (isObject(frame.data) && frame.data.type === "session_deleted") change()
  }

  function refuse(name: string, one: Wanted, data: unknown): void {
    const code = isObject(data) && isObject(data.error) ? String(data.error.code) : ""
    if (GONE.includes(code)) {
      wanted.delete(name)
      tell(one, { type: "refused", status: 404 })
      return
    }
    tell(one, { type: "lost", retryMs: SOURCE_RETRY_MS, reason: code })
    deps.pause(SOURCE_RETRY_MS, closed).then(() => closed.signal.aborted || wanted.get(name) !== one || change())
  }

  return {
    follow(key, source, sink) {
      const name = sourceName(source)
      const found = wanted.get(name)
      found?.sinks.set(key, sink)
      if (!found) wanted.set(name, { source, sinks: new Map([[key, sink]]) })
      else if (!canJoin(source, found.source)) found.source = source
      else if (isRunning) {
        if (opened) sink(opened, 0)
        else if (lost) sink(lost, 0)
        return
      }
      if (lost) sink(lost, 0)
      change()
    },
    unfollow(key) {
      for (const [name, { sinks }] of wanted) if (sinks.delete(key) && sinks.size === 0) wanted.delete(name)
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

/** Returns the first sources that fit into a connection. */
function choose(wanted: ReadonlyMap<string, Wanted>): [string, Wanted][] {
  let characters = 0
  return [...wanted].slice(0, MAX_SOURCES).filter(([, { source }]) => {
    characters += sourceText(source).length + 1
    return characters <= MAX_CHARACTERS
  })
}
