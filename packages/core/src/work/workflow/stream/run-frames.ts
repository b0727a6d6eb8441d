import { AppError } from "../../../errors.ts"
import { followRun } from "../../runs/follow-run.ts"
import { type EventFrame, hasAllEvents } from "../../runs/run-events.ts"
import type { LocatedRun } from "../../runs/runs.ts"

type Found = Pick<LocatedRun, "ref" | "run">
type Deps = Parameters<typeof followRun>[0]

/**
 * Yields a run's `/stream` frames after the cursor, until the run ends. The projection always starts at the run's first
 * event, so any server can resume a stream.
 */
export async function* streamFrames(
  deps: Deps,
  { ref, run }: Found,
  cursor: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<EventFrame> {
  // Loaded lazily, because only `/stream` needs the projection.
  const { beginStream, isAfter, projectEvent } = await import("./projection.ts")
  let view = beginStream(run.runId, ref.session_id)
  for await (const event of followRun(deps, ref.sid, run, run.firstSeq - 1, { signal })) {
    if (event === "quiet") {
      yield event
      continue
    }
    const projected = projectEvent(view, event)
    view = projected.view
    for (const frame of projected.frames) if (isAfter(frame.id, cursor)) yield frame
  }
}

/**
 * Returns true if the run has ended and the client has received all of its `/stream` frames. The last event produces
 * several frames, and the client may have received only some of them.
 */
export async function hasAllFrames(
  deps: Deps,
  found: Found,
  cursor: string | undefined,
  { signal }: { signal: AbortSignal },
): Promise<boolean> {
  if (!hasAllEvents(found, Number.parseInt(cursor ?? "0", 10))) return false
  for await (const frame of streamFrames(deps, found, cursor, signal)) if (frame !== "quiet") return false
  return true
}

/** Parses the `Last-Event-ID` of a projected stream. */
export function streamCursor(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined
  if (/^\d{1,15}\.\d{1,9}$/.test(text)) return text
  throw new AppError("validation_error", "Last-Event-ID must be the ID of a frame in this stream.", {
    last_event_id: text.slice(0, 100),
  })
}
