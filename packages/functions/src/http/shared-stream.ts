import type { ViewerDeps } from "@switchyard/core/agents/runner/viewers"
import { findTerminal } from "@switchyard/core/agents/terminals/terminal-index"
import { merge } from "@switchyard/core/concurrency/merge"
import { AppError } from "@switchyard/core/errors"
import { followSummary } from "@switchyard/core/sessions/events/follow-summary"
import type { EventFrame } from "@switchyard/core/work/runs/run-events"
import type { AppDeps } from "../deps.ts"
import { errorEnvelope } from "./errors.ts"
import { sessionFrames } from "./session-stream.ts"
import { terminalFrames } from "./terminal-stream.ts"

/** Source of a shared stream, and the position at which the client starts. */
export type StreamSource =
  | { session: string; since: number }
  /** Follows the session's entry in the list of sessions: sent once at the start, and after each change. */
  | { session: string; summary: true }
  | { session: string; pty: string; offset: number | undefined; client: string }

export type SharedStreamDeps = ViewerDeps & Pick<AppDeps, "config" | "sessions" | "cleanups">

const MAX_SOURCES = 100

/** Matches a source, up to the maximum lengths of IDs and positions. */
const SOURCE = /^([^/:]{1,600})(?:\/(\w{1,100}))?(?::(\d{1,15}|summary)?)?(?::([\w.-]{1,64}))?$/

/**
 * Parses a list such as `ses_a:12,ses_b/pty_c:345:tab-1,ses_d:summary`. The list contains sessions with their last
 * `seq`, terminals with their last `offset` and the viewer's name, and summaries of sessions.
 */
export function parseSources(text: string): StreamSource[] {
  const parts = text.split(",")
  if (parts.length > MAX_SOURCES) {
    throw new AppError("validation_error", `A stream can have at most ${MAX_SOURCES} sources.`, { max: MAX_SOURCES })
  }
  return parts.map((part) => {
    const [, id, pty, position, client] = SOURCE.exec(part) ?? []
    const session = id === undefined ? undefined : decoded(id)
    // A terminal must have a viewer's name, and a session must not have one.
    const isSummary = position === "summary"
    if (session === undefined || (pty === undefined) !== (client === undefined) || (isSummary && pty !== undefined)) {
      const forms = "`session:seq`, `session:summary` or `session/terminal:offset:client`"
      throw new AppError("validation_error", `A source must be ${forms}.`, { source: part.slice(0, 100) })
    }
    if (isSummary) return { session, summary: true }
    if (pty === undefined || client === undefined) return { session, since: Number(position ?? 0) }
    return { session, pty, offset: position === undefined ? undefined : Number(position), client }
  })
}

/** True for a terminal snapshot that its viewer already has. Every terminal stream begins with the latest snapshot. */
export function isKnownFrame(sources: readonly StreamSource[], { event, data }: Exclude<EventFrame, "quiet">): boolean {
  if (event !== "snapshot") return false
  const { source: index, data: snapshot } = data as { source: number; data: { offset: number } }
  const source = sources[index]
  return source !== undefined && "offset" in source && source.offset === snapshot.offset
}

/**
 * Yields the frames of several sessions and terminals, each with its `source`. If a source can't be served, yields an
 * `error` for it and continues with the other sources.
 */
export function sharedFrames(
  deps: SharedStreamDeps,
  owner: string,
  sources: readonly StreamSource[],
  signal: AbortSignal,
): AsyncGenerator<EventFrame> {
  return merge(sources.map((source, index) => numbered(index, framesOf(deps, owner, source, signal), deps, signal)))
}

async function* framesOf(
  deps: SharedStreamDeps,
  owner: string,
  source: StreamSource,
  signal: AbortSignal,
): AsyncGenerator<EventFrame> {
  const session = await deps.sessions.find(owner, source.session, { signal })
  if ("summary" in source) {
    const retentionMs = await deps.cleanups.retentionMs(owner, { signal })
    for await (const summary of followSummary(deps, session, { retentionMs, signal })) {
      yield summary === "quiet" ? summary : { event: "summary", data: summary }
    }
    return
  }
  if ("since" in source) {
    const include = { events: true, terminal: false, task: undefined }
    yield* sessionFrames(deps, session, { seq: source.since, offset: undefined }, { include, signal })
    return
  }
  const { pty, client, offset } = source
  await findTerminal(deps, session, pty, { signal })
  yield* terminalFrames(deps, session, pty, { client, offset }, signal)
}

async function* numbered(
  source: number,
  frames: AsyncGenerator<EventFrame>,
  { report, config, stopping }: SharedStreamDeps,
  signal: AbortSignal,
): AsyncGenerator<EventFrame> {
  try {
    for await (const frame of frames) {
      // Omit the frame's ID, because it is a position in one source and is meaningless in the shared stream.
      yield frame === "quiet" ? frame : { event: frame.event, data: { source, data: frame.data } }
    }
  } catch (error) {
    if (signal.aborted) return
    const data = errorEnvelope(error, { report, stopping, verbose: config.verboseErrors })
    yield { event: "error", data: { source, data } }
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
