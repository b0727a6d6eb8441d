import { AppError } from "../../errors.ts"
import type { LogEvent } from "../../events.ts"
import { logName } from "../../kernel/keys.ts"
import { hydrateEvent } from "../../log/payload.ts"
import { followRun, isOfRun } from "./follow-run.ts"
import type { LocatedRun } from "./runs.ts"
import { endsRun, type RunStatus } from "./schema.ts"

type Found = Pick<LocatedRun, "ref" | "run">
type Deps = Parameters<typeof followRun>[0]

/** A server-sent event, or "quiet" when there are no events. */
export type EventFrame = { id?: string; event: string; data: unknown } | "quiet"

/** Yields the events of a run after `since` until the run ends, and then an `end` frame without an ID. */
export async function* eventFrames(
  deps: Deps,
  { ref, run }: Found,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<EventFrame> {
  let status = run.status
  for await (const event of followRun(deps, ref.sid, run, since, { signal })) {
    yield event === "quiet"
      ? event
      : { id: String(event.seq), event: event.type, data: withSessionId(event, ref.session_id) }
    if (event !== "quiet" && endsRun(event)) status = event.type.slice("run_".length) as RunStatus
  }
  if (!signal.aborted) yield { event: "end", data: { status } }
}

/**
 * Returns true if the run has ended and the client has received all of its events. The server then responds with status
 * 204. Otherwise, browsers would reconnect forever.
 */
export function hasAllEvents({ run }: Found, since: number): boolean {
  return run.lastSeq !== null && since >= run.lastSeq
}

/** Returns up to `limit` events of a run after `since`. */
export async function eventPage(
  deps: Deps,
  { ref, run }: Found,
  { since, limit, ...options }: { since: number; limit: number; signal: AbortSignal },
) {
  const events: Record<string, unknown>[] = []
  const last = run.lastSeq ?? Number.POSITIVE_INFINITY
  let latestSeq = since
  const from = Math.max(since, run.firstSeq - 1)
  if (from < last) {
    for await (const event of deps.log.read(logName(ref.sid), from, options)) {
      if (event.seq > last || events.length === limit) break
      if (!isOfRun(run, event)) continue
      events.push(withSessionId(await hydrateEvent(deps.blobs, event, options), ref.session_id))
      latestSeq = event.seq
      if (event.run_id === run.runId && endsRun(event)) break
    }
  }
  return { events, latest_seq: latestSeq, status: run.status }
}

/** Throws `resync` if the cursor is beyond the head of the log. */
export function checkCursor(since: number, { ref, head }: LocatedRun): void {
  if (since <= head) return
  throw new AppError("resync", "The cursor is outside this log. Start again from the beginning.", {
    since,
    begin: 1,
    run_id: ref.run_id,
  })
}

/** Adds the session ID to an event, because events in a session's log don't contain it. */
function withSessionId(event: LogEvent, sessionId: string): Record<string, unknown> {
  return { ...event, session_id: sessionId }
}
