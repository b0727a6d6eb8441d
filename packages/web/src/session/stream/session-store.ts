import { createStore, type StoreApi } from "zustand/vanilla"
import { type Api, ApiError } from "../../api/client.ts"
import { isSpine, type StudioEvent } from "./event.ts"
import { createMoments } from "./moments.ts"
import { createPages } from "./pages.ts"
import type { SseDeps } from "./sse.ts"
import { type Stretch, stretchAt, withStretch } from "./stretches.ts"
import { type StreamNews, subscribe } from "./subscribe.ts"
import { emptyView, isRunning, reduceView, type SessionView } from "./view.ts"

export type Connection =
  | { state: "loading"; loaded: number; total: number }
  | { state: "live" }
  | { state: "reconnecting"; since: number }
  /** Nobody looks and nothing runs: the stream is let go of, and taken up again when somebody looks. */
  | { state: "resting" }
  | { state: "gone"; status: number }
  | { state: "failed"; message: string }

export interface SessionData {
  /** Where the log begins. It has every number from there to `live.seq`. */
  firstSeq: number
  /** Every event on which a view depends, in order. Only ever grows, in place; `live.seq` tells a new one from an old one. */
  spine: StudioEvent[]
  /** Where all was read, in order: the newest events, which grow in place too, and whatever somebody went back to. */
  stretches: readonly Stretch[]
  live: SessionView
  /** What is on the screen: the live view, or that of the moment that somebody went back to. */
  shown: SessionView
  /** The event at which the replay stands; null when live. */
  replaySeq: number | null
  /** What was said before, in the session that this one took the place of. */
  carried: { events: StudioEvent[]; note: string } | null
  /** The last event that there was when nobody looked any more. */
  leftAt: number | null
  /** Of what came before the stretch that is shown: being read, or why it couldn't be. */
  earlier: { state: "read" } | { state: "reading" } | { state: "failed"; message: string }
  connection: Connection
}

export interface SessionStore {
  sessionId: string
  store: StoreApi<SessionData>
  /** Keeps the log of a session that this one took the place of, to be read above its own. */
  carry(from: SessionStore, note: string): void
  /** Goes to a moment, or back to now with null. */
  replay(seq: number | null): void
  /** Reads more of what led to the moment that is shown, unless that is being done. */
  readEarlier(): Promise<void>
  /** Reads the log and follows it until the signal ends it. */
  follow(options: { signal: AbortSignal }): Promise<void>
}

export interface StoreDeps extends SseDeps {
  api: Api
  /** Calls back once, before the next paint; soon where nothing is painted. */
  nextFrame(callback: () => void): void
  /** Resolves when somebody looks at the page. */
  seen(options: { signal: AbortSignal }): Promise<void>
  /** A signal that ends when nobody has looked for a while. */
  unseen(options: { signal: AbortSignal }): AbortSignal
  now(): number
}

/** One session, outside React: events come in as they like, and the screen hears of them once a frame. */
export function createSessionStore(deps: StoreDeps, sessionId: string): SessionStore {
  const store = createStore<SessionData>(() => blank())
  const pages = createPages(deps.api, sessionId)
  let viewAt = createMoments(store.getState().spine)
  let waiting: StudioEvent[] = []

  function take(event: StudioEvent): void {
    if (waiting.push(event) === 1) deps.nextFrame(flush)
  }

  function flush(): void {
    const { spine, stretches, live: before, replaySeq, shown } = store.getState()
    const fresh = waiting.filter((event) => event.seq > before.seq)
    waiting = []
    const newest = stretches.at(-1)
    if (fresh.length === 0 || !newest) return
    for (const event of fresh) {
      newest.events.push(event)
      if (isSpine(event)) spine.push(event)
    }
    const live = fresh.reduce(reduceView, before)
    newest.to = live.seq
    store.setState({ live, shown: replaySeq === null ? live : shown })
  }

  function replay(seq: number | null): void {
    const { live, firstSeq } = store.getState()
    const back = seq === null || seq >= live.seq
    store.setState(back ? { replaySeq: null, shown: live } : { replaySeq: seq, shown: viewAt(Math.max(seq, firstSeq)) })
  }

  async function readEarlier(): Promise<void> {
    const { spine, stretches, shown, firstSeq, earlier } = store.getState()
    const before = stretchAt(stretches, shown.seq)?.from ?? shown.seq + 1
    if (earlier.state === "reading" || before <= firstSeq) return
    store.setState({ earlier: { state: "reading" } })
    try {
      const page = await pages.before(before)
      // Meanwhile it may have become another log.
      if (store.getState().spine !== spine) return
      store.setState({ stretches: withStretch(store.getState().stretches, page), earlier: { state: "read" } })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      store.setState({ earlier: { state: "failed", message } })
    }
  }

  /** The newest events and all that the views are made of, at once: either is of the same length however long the log is. */
  async function load(signal: AbortSignal): Promise<void> {
    const { newest, spine, firstSeq } = await pages.opening({
      signal,
      onProgress: (loaded, total) => store.setState({ connection: { state: "loading", loaded, total } }),
    })
    const live = { ...spine.reduce(reduceView, emptyView), seq: newest.to }
    viewAt = createMoments(spine)
    waiting = []
    store.setState({ firstSeq, spine, stretches: [newest], live, shown: live, replaySeq: null })
  }

  /** Whether the log could be read. If not, the screen knows why. */
  async function loaded(signal: AbortSignal): Promise<boolean> {
    try {
      await load(signal)
      return true
    } catch (error) {
      if (signal.aborted) return false
      const { status, message } = error instanceof ApiError ? error : { status: 500, message: String(error) }
      const lost = status === 404 || status === 401
      store.setState({ connection: lost ? { state: "gone", status } : { state: "failed", message } })
      return false
    }
  }

  /** Whether the log could be read in the end; if not, it never will be. */
  async function loadedAtLast(signal: AbortSignal): Promise<boolean> {
    for (let attempt = 0; !(await loaded(signal)); attempt++) {
      if (signal.aborted || store.getState().connection.state === "gone") return false
      await deps.pause(Math.min(1000 * 2 ** attempt, 15_000), { signal })
    }
    return true
  }

  /** What was read is of another log. */
  function beginAnew(): void {
    store.setState(blank())
    waiting = []
  }

  function hear(news: StreamNews): void {
    switch (news.type) {
      case "connected":
        store.setState({ connection: { state: "live" } })
        break
      case "received":
        take(news.event)
        break
      case "lost":
        if (store.getState().connection.state === "reconnecting") break
        store.setState({ connection: { state: "reconnecting", since: deps.now() } })
        break
      case "gone":
        store.setState({ connection: { state: "gone", status: news.status } })
        break
      case "replaced":
        beginAnew()
    }
  }

  /** One stretch of following: until the page isn't seen any more, or the stream can't go on. */
  async function tail(signal: AbortSignal): Promise<"again" | "replaced" | "over"> {
    const unseen = deps.unseen({ signal })
    const resting = AbortSignal.any([signal, unseen])
    const urlFrom = (since_seq: number) =>
      deps.api.url("GET /api/v1/sessions/{id}/stream", {
        path: { id: sessionId },
        query: { include_terminal: false, since_seq: String(since_seq) },
      })
    let last: StreamNews["type"] | undefined
    const stop = new AbortController()
    const stopWhenIdle = () => {
      if (!isRunning(store.getState().live.run)) stop.abort()
    }
    resting.addEventListener("abort", stopWhenIdle, { once: true })
    const since = store.getState().live.seq
    for await (const news of subscribe(deps, urlFrom, since, { signal: AbortSignal.any([signal, stop.signal]) })) {
      last = news.type
      hear(news)
      if (unseen.aborted) {
        flush()
        stopWhenIdle()
      }
    }
    flush()
    if (last === "gone") return "over"
    if (last === "replaced") return "replaced"
    if (!stop.signal.aborted) return "again"
    store.setState({ connection: { state: "resting" }, leftAt: store.getState().live.seq })
    await deps.seen({ signal })
    return "again"
  }

  return {
    sessionId,
    store,
    replay,
    readEarlier,
    carry: (from, note) => store.setState({ carried: { events: [...from.store.getState().spine], note } }),
    follow: async ({ signal }) => {
      let next: Awaited<ReturnType<typeof tail>> = "replaced"
      while (!signal.aborted && next !== "over") {
        if (next === "replaced" && !(await loadedAtLast(signal))) return
        next = await tail(signal)
      }
    },
  }
}

function blank(): SessionData {
  return {
    firstSeq: 1,
    spine: [],
    stretches: [],
    live: emptyView,
    shown: emptyView,
    replaySeq: null,
    carried: null,
    leftAt: null,
    earlier: { state: "read" },
    connection: { state: "loading", loaded: 0, total: 0 },
  }
}
