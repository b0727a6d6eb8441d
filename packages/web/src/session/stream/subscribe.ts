import type { SourceUpdate } from "../connection/source.ts"
import type { Streams } from "../connection/tab-streams.ts"
import { type StudioEvent, toEvent } from "./event.ts"

export type StreamUpdate =
  /** `isPolled`: updates arrive only every few seconds. */
  | { type: "connected"; isPolled?: boolean }
  | { type: "received"; event: StudioEvent }
  /** The connection was lost, and will be reopened in `retryMs`. */
  | { type: "lost"; retryMs: number; reason: string }
  /** The server has a different log, which must be loaded from its beginning. */
  | { type: "replaced" }
  /** The session no longer exists, or access to it is denied. */
  | { type: "gone"; status: number }

/**
 * Yields a session's events after `since`, each once and in order, until the signal aborts, or the session has another
 * log or none.
 */
export async function* subscribe(
  streams: Pick<Streams, "open">,
  session: string,
  since: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<StreamUpdate> {
  for await (const update of streams.open({ session, since }, { signal })) {
    const next = streamUpdate(update)
    if (next) yield next
    if (next?.type === "replaced" || next?.type === "gone") return
  }
}

function streamUpdate(update: SourceUpdate): StreamUpdate | undefined {
  switch (update.type) {
    case "opened":
      return { type: "connected", isPolled: update.isPolled }
    case "lost":
      return update
    case "refused":
      return { type: "gone", status: update.status }
    case "frame":
      if (update.frame.event === "resync") return { type: "replaced" }
      return update.frame.event === "event" ? { type: "received", event: toEvent(update.frame.data) } : undefined
  }
}
