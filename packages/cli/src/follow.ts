import { locate } from "@switchyard/client/request"
import { LogEvent } from "@switchyard/core/events"
import { endsRun, RunStatus } from "@switchyard/core/work/runs/schema"
import * as z from "zod"
import { isEnded, type RunEvent } from "./api.ts"
import type { Connection } from "./connection.ts"
import { isRefusal, Unreachable } from "./errors.ts"
import type { Patience } from "./patience.ts"
import { openStream } from "./stream.ts"

export interface FollowDeps {
  connection: Connection
  patience: Patience
  notice: (text: string) => void
  /** Nothing for so long, not even a comment, means that the line is dead. */
  silenceMs: number
}

interface FollowOptions {
  /** Only what comes after this event. */
  since: number
  signal: AbortSignal
}

const End = z.object({ status: RunStatus })

/**
 * The events of a run until its last, each of them once and in the log's order, however often the stream is cut. Throws
 * `Unreachable` when patience ends, and `Refused` as the server does.
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
        // After a resync the log is read from its beginning, and most of it may be known.
        if (seen.has(event.event_id)) continue
        seen.add(event.event_id)
        yield event
        if (event.run_id === runId && endsRun(event)) return
      }
    } catch (error) {
      cut = lineFault(error, cursor)
      if (isRefusal(error, "resync")) {
        deps.notice(`There is no event ${cursor} to go on from: reading the log from its beginning.`)
        cursor = 0
      }
    }
    await deps.patience.pause(cut, options)
  }
}

/** One connection: what it brings until it is cut, or until the server says that the run's last event was told. */
async function* readStream(
  deps: FollowDeps,
  runId: string,
  { since, signal }: FollowOptions,
): AsyncGenerator<RunEvent | "end"> {
  const { path } = locate("GET /v1/runs/{id}/events", { path: { id: runId }, query: { since_seq: String(since) } })
  for await (const frame of openStream(deps, path, String(since), { signal })) {
    if (frame === "over") yield "end"
    else if (frame.event !== "end") yield parse(LogEvent, frame.data)
    else if (isEnded(parse(End, frame.data).status)) yield "end"
  }
}

function parse<T>(schema: z.ZodType<T>, json: string): T {
  try {
    return schema.parse(JSON.parse(json))
  } catch (error) {
    throw new Unreachable("The stream was garbled.", { cause: error })
  }
}

/** What is worth another try: a lost line, and a cursor that the server doesn't know. From 0 it knows every one. */
function lineFault(error: unknown, cursor: number): Unreachable {
  if (error instanceof Unreachable) return error
  if (isRefusal(error, "resync") && cursor > 0) return new Unreachable(error.message)
  throw error
}
