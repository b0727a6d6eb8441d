import { isObject } from "../../api/decode.ts"

/** The source that a screen follows, and its position in it. */
export type Source =
  | { session: string; since: number }
  /** One viewer's view of a terminal; without an offset it begins with the last snapshot. */
  | { session: string; pty: string; client: string; offset: number | null }

export interface Frame {
  event: string
  data: unknown
}

export type SourceUpdate =
  /** `isPolled`: updates come every few seconds, and not as they happen. */
  | { type: "opened"; isPolled?: boolean }
  | { type: "frame"; frame: Frame }
  /** The connection is lost, and is made again in `retryMs`. */
  | { type: "lost"; retryMs: number; reason: string }
  /** The source isn't served any more. The last update. */
  | { type: "refused"; status: number }

/** Two followers of a session share its events. A terminal's viewers don't: each has a position and a size of its own. */
export function sourceName(source: Source): string {
  const session = encodeURIComponent(source.session)
  return "pty" in source ? `${session}/${source.pty} ${source.client}` : session
}

/** The source in the list of the shared stream's address. */
export function sourceText(source: Source): string {
  const session = encodeURIComponent(source.session)
  return "pty" in source
    ? `${session}/${source.pty}:${source.offset ?? ""}:${source.client}`
    : `${session}:${source.since}`
}

/** The source after a frame, or undefined if the frame is one that it has had. */
export function advance(source: Source, { event, data }: Frame): Source | undefined {
  const fields = isObject(data) ? data : {}
  if ("since" in source) {
    if (event !== "event") return source
    return Number(fields.seq) > source.since ? { ...source, since: Number(fields.seq) } : undefined
  }
  const offset = Number(fields.offset)
  const at = source.offset ?? -1
  // A resize and the end have the offset of the bytes before them, and do no harm when they come twice.
  const isNew = event === "bytes" || event === "snapshot" ? offset > at : offset >= at
  return isNew ? { ...source, offset } : undefined
}

/** Whether a follower at one position can join a stream that is at another, without missing anything. */
export function canJoin(follower: Source, stream: Source): boolean {
  if ("since" in follower) return "since" in stream && follower.since >= stream.since
  return "pty" in stream && follower.offset === stream.offset
}
