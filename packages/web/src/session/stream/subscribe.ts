import { type StudioEvent, toEvent } from "./event.ts"
import { openStream, reconnectDelayMs, type SseDeps, type SseUpdate } from "./sse.ts"

export type StreamUpdate =
  | { type: "connected" }
  | { type: "received"; event: StudioEvent }
  /** The connection is lost, and is made again in `retryMs`. */
  | { type: "lost"; retryMs: number; reason: string }
  /** The server has another log: load it from its beginning. */
  | { type: "replaced" }
  /** The session doesn't exist any more, or access to it is denied. */
  | { type: "gone"; status: number }

/**
 * A session's events after `since`, each once and in order, until the signal aborts: a connection that ends, fails or falls
 * silent is made again from the last event on.
 */
export async function* subscribe(
  deps: SseDeps,
  urlFrom: (since: number) => string,
  since: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<StreamUpdate> {
  let seq = since
  let failures = 0
  while (!signal.aborted) {
    let reason = "The connection ended."
    try {
      const onHeard = () => {
        failures = 0
      }
      for await (const update of connection(deps, urlFrom(seq), onHeard, signal)) {
        if (update.type === "received") {
          if (update.event.seq <= seq) continue
          seq = update.event.seq
        }
        yield update
        if (update.type === "replaced" || update.type === "gone") return
      }
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      reason = error instanceof Error ? error.message : String(error)
    }
    // A server ends each stream after a while, for clients to reconnect. That is no failure, and not reported.
    const retryMs = reconnectDelayMs(failures, deps.random)
    if (failures > 0) yield { type: "lost", retryMs, reason }
    await deps.pause(retryMs, { signal })
  }
}

async function* connection(
  deps: SseDeps,
  url: string,
  onHeard: () => void,
  signal: AbortSignal,
): AsyncGenerator<StreamUpdate> {
  for await (const update of openStream(deps, url, { onHeard, signal })) {
    const next = streamUpdate(update)
    if (next) yield next
    if (next?.type === "replaced") return
  }
}

function streamUpdate(update: SseUpdate): StreamUpdate | undefined {
  if (update.type === "opened") return { type: "connected" }
  if (update.type === "refused")
    return update.status === 410 ? { type: "replaced" } : { type: "gone", status: update.status }
  if (update.frame.event === "resync") return { type: "replaced" }
  return update.frame.event === "event"
    ? { type: "received", event: toEvent(JSON.parse(update.frame.data)) }
    : undefined
}
