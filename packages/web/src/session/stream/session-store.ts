import { createStore, type StoreApi } from "zustand/vanilla"
import { errorText } from "../../ui/error-text.ts"
import type { StudioEvent } from "./event.ts"
import { type FollowDeps, followSession } from "./follow-session.ts"
import { createKeyframes } from "./keyframes.ts"
import { createPages } from "./pages.ts"
import { addSegment, loadedEvents, segmentAt } from "./segments.ts"
import { emptyData, loadedData, replayedAt, type SessionData, withEvents } from "./session-data.ts"

export interface SessionStore extends Pick<FollowDeps, "api"> {
  sessionId: string
  store: StoreApi<SessionData>
  /** Takes over the log of the session that this one replaced, to be shown above its own. */
  carry(from: SessionStore, note: string): void
  /** Shows a moment of the log; null for the present. */
  replay(seq: number | null): void
  /** Loads more of what led to the moment shown, unless that is already being loaded. */
  readEarlier(): Promise<void>
  /** Loads the log and follows it until the signal aborts. */
  follow(options: { signal: AbortSignal }): Promise<void>
}

export interface StoreDeps extends FollowDeps {
  /** Calls back once before the next paint, or soon if nothing is being painted. */
  nextFrame(callback: () => void): void
}

/** Creates the store of a session, independent of React. Events are buffered and applied once per frame. */
export function createSessionStore(deps: StoreDeps, sessionId: string): SessionStore {
  const store = createStore<SessionData>(emptyData)
  const pages = createPages(deps.api, sessionId)
  let viewAt = createKeyframes(store.getState().structural)
  let buffer: StudioEvent[] = []

  function flush(): void {
    const events = buffer
    buffer = []
    store.setState((data) => withEvents(data, events))
  }

  async function readEarlier(): Promise<void> {
    const { structural, segments, shown, firstSeq, earlier } = store.getState()
    const before = segmentAt(segments, shown.seq)?.from ?? shown.seq + 1
    if (earlier.state === "reading" || before <= firstSeq) return
    store.setState({ earlier: { state: "reading" } })
    try {
      const page = await pages.before(before)
      // The session may have switched to another log meanwhile.
      if (store.getState().structural !== structural) return
      store.setState({ segments: addSegment(store.getState().segments, page), earlier: { state: "read" } })
      store.setState((data) => replayedAt(data, data.replaySeq, viewAt))
    } catch (error) {
      const message = errorText(error)
      store.setState({ earlier: { state: "failed", message } })
    }
  }

  const sink = {
    store,
    flush,
    load(log: Parameters<typeof loadedData>[0]) {
      viewAt = createKeyframes(log.structural)
      buffer = []
      store.setState(loadedData(log))
    },
    receive(event: StudioEvent) {
      if (buffer.push(event) === 1) deps.nextFrame(flush)
    },
    reset() {
      store.setState(emptyData())
      buffer = []
    },
  }

  return {
    sessionId,
    api: deps.api,
    store,
    readEarlier,
    replay(seq) {
      store.setState((data) => replayedAt(data, seq, viewAt))
      const { replaySeq, shown, segments } = store.getState()
      // The text of a file that was being written is in the part of the log around this moment.
      const isMissing = shown.graph.writing.length > 0 && segmentAt(segments, shown.seq) === undefined
      if (replaySeq !== null && isMissing) readEarlier()
    },
    carry: (from, note) => store.setState({ carried: { events: knownEvents(from.store.getState()), note } }),
    follow: (options) => followSession(deps, sessionId, pages, sink, options),
  }
}

/** Returns a log's loaded events, in order. */
function knownEvents({ structural, segments }: SessionData): StudioEvent[] {
  return [...loadedEvents(structural, segments)].sort((a, b) => a.seq - b.seq)
}
