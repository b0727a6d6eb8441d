import { AppError } from "@switchyard/core/errors"
import type { LogEvent } from "@switchyard/core/events"
import { logName } from "@switchyard/core/kernel/keys"
import { wholeEvent } from "@switchyard/core/log/payload"
import { followRun } from "@switchyard/core/work/runs/follow"
import type { FoundRun } from "@switchyard/core/work/runs/runs"
import { endsRun, type RunStatus } from "@switchyard/core/work/runs/schema"
import { beginStream, isAfter, projectEvent } from "@switchyard/core/work/workflow/projection"
import type { AppDeps } from "../deps.ts"
import type { SseFrame } from "./sse.ts"

type Found = Pick<FoundRun, "ref" | "run">

/**
 * The `/stream` frames of a run after the cursor, up to its end. The run is told from its beginning each time, so any
 * server can go on where another was cut off.
 */
export async function* projectedRun(
  deps: AppDeps,
  { ref, run }: Found,
  cursor: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SseFrame> {
  let view = beginStream(run.runId, ref.session_id)
  for await (const event of followRun(deps, ref.sid, run, run.firstSeq - 1, { signal })) {
    if (event === "quiet") {
      yield event
      continue
    }
    const told = projectEvent(view, event)
    view = told.view
    for (const frame of told.frames) if (isAfter(frame.id, cursor)) yield frame
  }
}

/** The events of a run after `since`, up to its end, which is said once more by a frame without an id. */
export async function* loggedRun(
  deps: AppDeps,
  { ref, run }: Found,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<SseFrame> {
  let status = run.status
  for await (const event of followRun(deps, ref.sid, run, since, { signal })) {
    yield event === "quiet" ? event : { id: String(event.seq), event: event.type, data: asTold(event, ref.session_id) }
    if (event !== "quiet" && endsRun(event)) status = event.type.slice("run_".length) as RunStatus
  }
  if (!signal.aborted) yield { event: "end", data: { status } }
}

/** Whether a run ended and its events after `since` were all told. A browser comes back for ever unless it is answered 204. */
export function isToldWhole({ run }: Found, since: number): boolean {
  return run.lastSeq !== null && since >= run.lastSeq
}

/** The same for the frames of `/stream`, of which the last event has several. */
export async function isProjectedWhole(
  deps: AppDeps,
  found: Found,
  cursor: string | undefined,
  { signal }: { signal: AbortSignal },
): Promise<boolean> {
  if (!isToldWhole(found, Number.parseInt(cursor ?? "0", 10))) return false
  for await (const frame of projectedRun(deps, found, cursor, signal)) if (frame !== "quiet") return false
  return true
}

/** Events of a run after `since`, no more than `limit`. */
export async function eventPage(deps: AppDeps, { ref, run }: Found, since: number, limit: number) {
  const options = { signal: deps.stopping }
  const events: Record<string, unknown>[] = []
  const last = run.lastSeq ?? Number.POSITIVE_INFINITY
  let latestSeq = since
  const from = Math.max(since, run.firstSeq - 1)
  if (from < last) {
    for await (const event of deps.log.read(logName(ref.sid), from, options)) {
      if (event.seq > last || events.length === limit) break
      if (event.run_id !== run.runId) continue
      events.push(asTold(await wholeEvent(deps.blobs, event, options), ref.session_id))
      latestSeq = event.seq
      if (endsRun(event)) break
    }
  }
  return { events, latest_seq: latestSeq, status: run.status }
}

/** A place that this log never had is no place to go on from. */
export function checkCursor(since: number, { ref, head }: FoundRun): void {
  if (since <= head) return
  throw new AppError("resync", "There is no such place in this log: start again from the beginning.", {
    since,
    begin: 1,
    run_id: ref.run_id,
  })
}

/** Reads `Last-Event-ID` of a projected stream. */
export function streamCursor(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined
  if (/^\d{1,15}\.\d{1,9}$/.test(text)) return text
  throw new AppError("validation_error", "Last-Event-ID is the id of a frame of this stream.", {
    last_event_id: text.slice(0, 100),
  })
}

/** Events say which session they are of; in its own log that goes without saying. */
function asTold(event: LogEvent, sessionId: string): Record<string, unknown> {
  return { ...event, session_id: sessionId }
}
