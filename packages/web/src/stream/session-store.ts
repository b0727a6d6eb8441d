import { createStore, type StoreApi } from "zustand/vanilla"
import { type Api, ApiError } from "../api/client.ts"
import { list, number, object } from "../api/shape.ts"
import { type StudioEvent, toEvent } from "./event.ts"
import { countUpTo, createMoments } from "./moments.ts"
import type { SseDeps } from "./sse.ts"
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
  /** Every event, in order. Only ever grows, in place; `live.seq` tells a new one from an old one. */
  events: StudioEvent[]
  live: SessionView
  /** What is on the screen: the live view, or that of the moment that somebody went back to. */
  shown: SessionView
  /** The event at which the replay stands; null when live. */
  replaySeq: number | null
  /** What was said before, in the session that this one took the place of. */
  carried: { events: StudioEvent[]; note: string } | null
  /** The last event that there was when nobody looked any more. */
  leftAt: number | null
  connection: Connection
}

export interface SessionStore {
  sessionId: string
  store: StoreApi<SessionData>
  /** Keeps the log of a session that this one took the place of, to be read above its own. */
  carry(from: SessionStore, note: string): void
  /** Goes to a moment, or back to now with null. */
  replay(seq: number | null): void
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

const PAGE = 1000
const EventPage = object({ events: list({ parse: toEvent }), to_seq: number, latest_seq: number })

/** One session, outside React: events come in as they like, and the screen hears of them once a frame. */
export function createSessionStore(deps: StoreDeps, sessionId: string): SessionStore {
  const store = createStore<SessionData>(() => blank())
  let viewAt = createMoments(store.getState().events)
  let waiting: StudioEvent[] = []

  function take(event: StudioEvent): void {
    if (waiting.push(event) === 1) deps.nextFrame(flush)
  }

  function flush(): void {
    const { events, replaySeq, shown } = store.getState()
    const fresh = waiting.filter((event) => event.seq > (events.at(-1)?.seq ?? 0))
    waiting = []
    if (fresh.length === 0) return
    for (const event of fresh) events.push(event)
    const live = fresh.reduce(reduceView, store.getState().live)
    store.setState({ live, shown: replaySeq === null ? live : shown })
  }

  function replay(seq: number | null): void {
    const { events, live } = store.getState()
    const back = seq === null || seq >= live.seq
    store.setState(back ? { replaySeq: null, shown: live } : { replaySeq: seq, shown: viewAt(countUpTo(events, seq)) })
  }

  async function load(signal: AbortSignal): Promise<void> {
    for (;;) {
      const since = store.getState().events.at(-1)?.seq ?? 0
      const path = `/api/v1/sessions/${encodeURIComponent(sessionId)}/events?since_seq=${since}&limit=${PAGE}`
      const page = await deps.api.get(path, EventPage, { signal })
      waiting.push(...page.events)
      flush()
      if (page.to_seq >= page.latest_seq) return
      const connection: Connection = { state: "loading", loaded: page.to_seq, total: page.latest_seq }
      store.setState({ connection })
    }
  }

  /** Whether the log could be read. If not, the screen knows why. */
  async function loaded(signal: AbortSignal): Promise<boolean> {
    try {
      await load(signal)
      return true
    } catch (error) {
      if (signal.aborted) return false
      const { status, message } = error instanceof ApiError ? error : { status: 500, message: String(error) }
      if (status === 410) beginAnew()
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
    viewAt = createMoments(store.getState().events)
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
    const url = deps.api.url(`/api/v1/sessions/${encodeURIComponent(sessionId)}/stream`)
    let last: StreamNews["type"] | undefined
    const stop = new AbortController()
    const stopWhenIdle = () => {
      if (!isRunning(store.getState().live.run)) stop.abort()
    }
    resting.addEventListener("abort", stopWhenIdle, { once: true })
    const since = store.getState().events.at(-1)?.seq ?? 0
    for await (const news of subscribe(deps, url, since, { signal: AbortSignal.any([signal, stop.signal]) })) {
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
    carry: (from, note) => store.setState({ carried: { events: [...from.store.getState().events], note } }),
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
    events: [],
    live: emptyView,
    shown: emptyView,
    replaySeq: null,
    carried: null,
    leftAt: null,
    connection: { state: "loading", loaded: 0, total: 0 },
  }
}
