import { isObject } from "../../api/decode.ts"
import { advance, canJoin, type Frame, type Source, type SourceUpdate, sourceName, sourceText } from "./source.ts"

/** Receives a source's updates. `size`: length of the frame's text. */
export type Sink = (update: SourceUpdate, size: number) => void

/** A followed source, and the position up to which its followers were served. */
export interface WantedSource {
  name: string
  source: Source
  sinks: Map<string, Sink>
}

/** Sources of all followers, and which of them a connection serves. */
export interface WantedSources {
  readonly size: number
  /**
   * Adds a follower, or moves it to another position. Returns true if the source was wanted already, at a position that
   * the follower can join.
   */
  add(key: string, source: Source, sink: Sink): boolean
  /** Removes a follower, and its source if that has no others. */
  remove(key: string): void
  /** Returns the first sources that fit into a connection. */
  choose(): WantedSource[]
  /** Tells the followers of these sources. */
  tell(sources: WantedSource[], update: SourceUpdate): void
  tellAll(update: SourceUpdate): void
  /** Passes on a frame of a connection that serves these sources. Its data contains the source's number. */
  receive(served: WantedSource[], frame: Frame, size: number): void
  clear(): void
}

interface WantedSourcesDeps {
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
}

/** The server's limit, and a URL length that every proxy accepts. Further sources wait until there is room. */
const MAX_SOURCES = 100
const MAX_CHARACTERS = 5_000
const SOURCE_RETRY_MS = 5_000

const GONE = ["session_not_found", "session_deleted", "not_found"]

/** Creates the sources. `onOutdated` is called when the connection should be replaced by one with other sources. */
export function createWantedSources(
  deps: WantedSourcesDeps,
  { signal, onOutdated }: { signal: AbortSignal; onOutdated: () => void },
): WantedSources {
  const wanted = new Map<string, WantedSource>()

  function tell(sources: WantedSource[], update: SourceUpdate, size = 0): void {
    for (const { sinks } of sources) for (const sink of [...sinks.values()]) sink(update, size)
  }

  function pass(one: WantedSource, frame: Frame, size: number): void {
    one.source = advance(one.source, frame) ?? one.source
    tell([one], { type: "frame", frame }, size)
    // After this, the server would only report that the session doesn't exist.
    if (isObject(frame.data) && frame.data.type === "session_deleted") onOutdated()
  }

  function refuse(one: WantedSource, data: unknown): void {
    const code = isObject(data) && isObject(data.error) ? String(data.error.code) : ""
    if (GONE.includes(code)) {
      wanted.delete(one.name)
      tell([one], { type: "refused", status: 404 })
    } else {
      tell([one], { type: "lost", retryMs: SOURCE_RETRY_MS, reason: code })
      void retry(one)
    }
  }

  async function retry(one: WantedSource): Promise<void> {
    await deps.pause(SOURCE_RETRY_MS, { signal })
    if (!signal.aborted && wanted.get(one.name) === one) onOutdated()
  }

  return {
    get size() {
      return wanted.size
    },
    add(key, source, sink) {
      const name = sourceName(source)
      const found = wanted.get(name)
      found?.sinks.set(key, sink)
      if (!found) wanted.set(name, { name, source, sinks: new Map([[key, sink]]) })
      else if (canJoin(source, found.source)) return true
      else found.source = source
      return false
    },
    remove(key) {
      for (const [name, { sinks }] of wanted) if (sinks.delete(key) && sinks.size === 0) wanted.delete(name)
    },
    choose() {
      let characters = 0
      return [...wanted.values()].slice(0, MAX_SOURCES).filter(({ source }) => {
        characters += sourceText(source).length + 1
        return characters <= MAX_CHARACTERS
      })
    },
    tell,
    tellAll: (update) => tell([...wanted.values()], update),
    receive(served, { event, data: envelope }, size) {
      if (!isObject(envelope) || !isObject(envelope.data)) return
      const one = served[Number(envelope.source)]
      if (!one) return
      if (wanted.get(one.name) !== one) onOutdated()
      else if (event === "error") refuse(one, envelope.data)
      else pass(one, { event, data: envelope.data }, size)
    },
    clear: () => wanted.clear(),
  }
}
