import { type StudioEvent, toEvent } from "./event.ts"
import { backoff, openStream, type SseDeps, type SseNews } from "./sse.ts"

export type StreamNews =
  | { type: "connected" }
  | { type: "received"; event: StudioEvent }
  /** The connection is gone and will be tried again, by itself, in so many milliseconds. */
  | { type: "lost"; retryMs: number; reason: string }
  /** The log isn't the one that we were reading: fold it anew from its beginning. */
  | { type: "replaced" }
  /** The session isn't there any more, or isn't ours. */
  | { type: "gone"; status: number }

/**
 * A session's events after `since`, for as long as the reader stays: a connection that ends, fails or falls silent is made
 * again from the last event on, so none is missed and none comes twice.
 */
export async function* subscribe(
  deps: SseDeps,
  urlFrom: (since: number) => string,
  since: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<StreamNews> {
  let seq = since
  let failures = 0
  while (!signal.aborted) {
    let reason = "The connection ended."
    try {
      const heard = () => {
        failures = 0
      }
      for await (const news of connection(deps, urlFrom(seq), heard, signal)) {
        if (news.type === "received") {
          if (news.event.seq <= seq) continue
          seq = news.event.seq
        }
        yield news
        if (news.type === "replaced" || news.type === "gone") return
      }
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      reason = error instanceof Error ? error.message : String(error)
    }
    // A server that ends a stream in good order means: come again. That is no failure, and nobody need be told.
    const retryMs = failures === 0 ? deps.random() * 300 : backoff(failures, deps.random())
    if (failures > 0) yield { type: "lost", retryMs, reason }
    await deps.pause(retryMs, { signal })
  }
}

async function* connection(
  deps: SseDeps,
  url: string,
  onHeard: () => void,
  signal: AbortSignal,
): AsyncGenerator<StreamNews> {
  for await (const news of openStream(deps, url, { onHeard, signal })) {
    const told = toldBy(news)
    if (told) yield told
    if (told?.type === "replaced") return
  }
}

function toldBy(news: SseNews): StreamNews | undefined {
  if (news.type === "opened") return { type: "connected" }
  if (news.type === "refused") return news.status === 410 ? { type: "replaced" } : { type: "gone", status: news.status }
  if (news.frame.event === "resync") return { type: "replaced" }
  return news.frame.event === "event" ? { type: "received", event: toEvent(JSON.parse(news.frame.data)) } : undefined
}
