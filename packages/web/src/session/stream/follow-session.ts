import { backoffMs, retry } from "@switchyard/core/concurrency/retry"
import type { StoreApi } from "zustand/vanilla"
import type { Api } from "../../api/client.ts"
import type { Streams } from "../connection/tab-streams.ts"
import type { StudioEvent } from "./event.ts"
import type { createPages } from "./pages.ts"
import { isRunning } from "./run.ts"
import { connectionAfter, connectionAfterError, type LoadedLog, type SessionData } from "./session-data.ts"
import { type StreamUpdate, subscribe } from "./subscribe.ts"

export interface FollowDeps {
  api: Api
  streams: Pick<Streams, "open">
  /** Resolves after `ms`, or earlier if the network comes back. */
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  /** Resolves when the page is visible. */
  seen(options: { signal: AbortSignal }): Promise<void>
  /** Returns a signal that aborts when the page has been hidden for a while. */
  unseen(options: { signal: AbortSignal }): AbortSignal
  now(): number
  /** Returns true if the page is visible. */
  isWatched(): boolean
}

const FIRST_RETRY_MS = 250
const WATCHED_RETRY_MS = 1_500
const UNWATCHED_RETRY_MS = 15_000

/** Receives a session's log. */
interface Sink {
  store: StoreApi<SessionData>
  load(log: LoadedLog): void
  receive(event: StudioEvent): void
  /** Applies the events received so far. */
  flush(): void
  /** Drops everything, because it belongs to another log. */
  reset(): void
}

/** Loads a session's log, and follows its stream until the signal aborts or the session is gone. */
export async function followSession(
  deps: FollowDeps,
  sessionId: string,
  pages: ReturnType<typeof createPages>,
  sink: Sink,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { store } = sink

  /** Resolves to true once the log is loaded. Until then, the connection state contains the reason why not. */
  async function load(): Promise<boolean> {
    const onProgress = (loaded: number, total: number) =>
      store.setState({ connection: { state: "loading", loaded, total } })
    const delayMs = (error: unknown, attempt: number) => {
      if (signal.aborted) return undefined
      const connection = connectionAfterError(error)
      store.setState({ connection })
      const mostMs = deps.isWatched() ? WATCHED_RETRY_MS : UNWATCHED_RETRY_MS
      return connection.state === "gone" ? undefined : backoffMs(attempt, FIRST_RETRY_MS, mostMs)
    }
    const loading = retry(async () => sink.load(await pages.opening({ signal, onProgress })), {
      delayMs,
      clock: { sleep: deps.pause },
      signal,
    })
    return loading.then(
      () => true,
      () => false,
    )
  }

  function apply(update: StreamUpdate): void {
    if (update.type === "received") sink.receive(update.event)
    else if (update.type === "replaced") sink.reset()
    else store.setState(({ connection }) => ({ connection: connectionAfter(connection, update, deps.now()) }))
  }

  /**
   * Follows the stream until it can't continue, or until the page is hidden while nothing is running. In the latter
   * case, waits until the page is visible again.
   */
  async function followStream(): Promise<"again" | "replaced" | "over"> {
    const unseen = deps.unseen({ signal })
    let last: StreamUpdate["type"] | undefined
    const stop = new AbortController()
    const stopWhenIdle = () => {
      if (!isRunning(store.getState().live.run)) stop.abort()
    }
    AbortSignal.any([signal, unseen]).addEventListener("abort", stopWhenIdle, { once: true })
    const since = store.getState().live.seq
    const following = subscribe(deps.streams, sessionId, since, { signal: AbortSignal.any([signal, stop.signal]) })
    for await (const update of following) {
      last = update.type
      apply(update)
      if (unseen.aborted) {
        sink.flush()
        stopWhenIdle()
      }
    }
    sink.flush()
    if (last === "gone") return "over"
    if (last === "replaced") return "replaced"
    if (!stop.signal.aborted) return "again"
    store.setState({ connection: { state: "resting" }, leftAt: store.getState().live.seq })
    await deps.seen({ signal })
    return "again"
  }

  let next: Awaited<ReturnType<typeof followStream>> = "replaced"
  while (!signal.aborted && next !== "over") {
    if (next === "replaced" && !(await load())) return
    next = await followStream()
  }
}
