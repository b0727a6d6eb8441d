import { isObject } from "../../api/decode.ts"

/** A source followed by a screen, and its position in it. */
export type Source =
  | { session: string; since: number }
  /** The session as in the list of sessions, now and after each change. */
  | { session: string; summary: true }
  /** One viewer's view of a terminal. Without an offset, starts at the last snapshot. */
  | { session: string; pty: string; client: string; offset: number | null }

export interface Frame {
  event: string
  data: unknown
}

export type SourceUpdate =
  /** `isPolled`: updates arrive every few seconds instead of immediately. */
  | { type: "opened"; isPolled?: boolean }
  | { type: "frame"; frame: Frame }
  /** The connection was lost, and will be reopened in `retryMs`. */
  | { type: "lost"; retryMs: number; reason: string }
  /** The source is no longer served. This is the last update. */
  | { type: "refused"; status: number }

/**
 * Returns the key under which followers share a source. Followers of a session share its events. A terminal's viewers
 * don't share, because each has its own position and size.
 */
export function sourceName(source: Source): string {
  const session = encodeURIComponent(source.session)
  if ("summary" in source) return `${session}:summary`
  return "pty" in source ? `${session}/${source.pty} ${source.client}` : session
}

/** Returns the source's entry in the shared stream's URL. */
export function sourceText(source: Source): string {
  const session = encodeURIComponent(source.session)
  if ("summary" in source) return `${session}:summary`
  return "pty" in source
    ? `${session}/${source.pty}:${source.offset ?? ""}:${source.client}`
    : `${session}:${source.since}`
}

/** Returns the source after a frame, or undefined if the frame was already received. */
export function advance(source: Source, { event, data }: Frame): Source | undefined {
  if ("summary" in source) return source
  const fields = isObject(data) ? data : {}
  if ("since" in source) {
    if (event !== "event") return source
    return Number(fields.seq) > source.since ? { ...source, since: Number(fields.seq) } : undefined
  }
  const offset = Number(fields.offset)
  const at = source.offset ?? -1
  // A resize and the end have the same offset as the bytes before them. Receiving them twice does no harm.
  const isNew = event === "bytes" || event === "snapshot" ? offset > at : offset >= at
  return isNew ? { ...source, offset } : undefined
}

/** Returns true if a follower at its position can join the stream at another one without missing anything. */
export function canJoin(follower: Source, stream: Source): boolean {
  // A new follower needs the current summary, with which every stream begins.
  if ("summary" in follower) return false
  if ("since" in follower) return "since" in stream && follower.since >= stream.since
  return "pty" in stream && follower.offset === stream.offset
}
