import { locate } from "@switchyard/client/request"
import { LogEvent } from "@switchyard/core/events"
import { endsRun, RunStatus } from "@switchyard/core/work/runs/schema"
import * as z from "zod"
import { isEnded, type RunEvent } from "../api/responses.ts"
import { isRefusal, Unreachable } from "../errors/errors.ts"
import { openStream, parseFrame, type StreamDeps } from "./stream.ts"

export interface FollowDeps extends StreamDeps {
  notice: (text: string) => void
}

interface FollowOptions {
  /** Number of the last event that isn't needed. */
  since: number
  signal: AbortSignal
}

const End = z.object({ status: RunStatus })

/**
 * Yields all events of a run, each once and in log order, even if the stream is interrupted. Throws `Unreachable` if
 * all retries fail, and `Refused` if the server rejects the request.
 */
export async function* followRun(deps: FollowDeps, runId: string, options: FollowOptions): AsyncGenerator<RunEvent> {
  const seen = new Set<string>()
  let cursor = options.since

  for (;;) {
    let cut = new Unreachable("The stream ended early.")
    try {
      for await (const event of readStream(deps, runId, { since: cursor, signal: options.signal })) {
        if (event === "end") return
        if (event.seq <= cursor) continue
        cursor = event.seq
        // After a resync, the log is read from the beginning, so most events have already been seen.
        if (seen.has(event.event_id)) continue
        seen.add(event.event_id)
        yield event
        if (event.run_id === runId && endsRun(event)) return
      }
    } catch (error) {
      cut = lineFault(error, cursor)
      if (isRefusal(error, "resync")) {
        deps.notice(`Event ${cursor} isn't in the log. Reading the log from the beginning.`)
        cursor = 0
      }
    }
    await deps.retries.pause(cut, options)
  }
}

/** Yields the events from one connection, until the connection is lost or the server reports the end of the run. */
async function* readStream(
  deps: FollowDeps,
  runId: string,
  { since, signal }: FollowOptions,
): AsyncGenerator<RunEvent | "end"> {
  const { path } = locate("GET /v1/runs/{id}/events", { path: { id: runId }, query: { since_seq: String(since) } })
  for await (const frame of openStream(deps, path, String(since), { signal })) {
    if (frame === "over") yield "end"
    else if (frame.event !== "end") yield parseFrame(LogEvent, frame.data)
    else if (isEnded(parseFrame(End, frame.data).status)) yield "end"
  }
}

/**
 * Returns a retriable error if the connection was lost, or if the server doesn't know the cursor. The server always
 * knows cursor 0. Rethrows any other error.
 */
function lineFault(error: unknown, cursor: number): Unreachable {
  if (error instanceof Unreachable) return error
  if (isRefusal(error, "resync") && cursor > 0) return new Unreachable(error.message)
  throw error
}
