import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { namedEvents } from "@switchyard/core/sessions/events/event-names"
import { type PageRange, readEvents } from "@switchyard/core/sessions/events/event-page"
import { parseMergedCursor } from "@switchyard/core/sessions/events/merged-stream"
import { EventPage } from "@switchyard/core/sessions/schema"
import { findRun } from "@switchyard/core/work/runs/ended-runs"
import type { RunState } from "@switchyard/core/work/runs/state"
import type { Context } from "hono"
import { compress } from "hono/compress"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, streams } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"
import { hasWholeTask, sessionFrames } from "../../http/session-stream.ts"
import { sendEvents } from "../../http/sse.ts"

const endpoint = endpointsOf("sessions")
const seq = z.coerce.number().int().min(0).max(1e15)
const MAX_EVENTS = 1000

const PAGES = `By default, starts at the first event. Events are in order of \`seq\`. A page also ends at about a
megabyte. It contains every event of the requested types from \`from_seq\` to \`to_seq\`. Continue with
\`since_seq=to_seq\` until \`to_seq\` equals \`latest_seq\`, or backwards with \`before_seq=from_seq\` until
\`from_seq\` equals \`first_seq\`.`

const FRAMES = `Frames: \`event\` contains an event, and its ID is the \`seq\`. \`resync\` with \`{since_seq,
first_seq, latest_seq}\` means that the stream can't continue from that position, and ends it. \`terminal\` contains
output of the latest terminal. Its \`type\` is \`snapshot\` (clear the screen, then draw \`data\`), \`bytes\`,
\`resized\`, \`ended\`, or \`screen\`, which is the last screen of a closed terminal as text. With a terminal, IDs are
\`seq.offset\`. Events and frames arrive in the order in which they were written, and a frame follows the event named
by \`after\`. \`complete\` ends the stream of the requested \`task\`; reconnecting with its ID returns 204. The stream
also ends after \`session_deleted\`. After any other end, reconnect with the last ID.`

export const routes = {
  events: endpoint.get("/api/v1/sessions/{id}/events", {
    summary: "List a session's events",
    // Compress here, which reduces the size to a tenth. CDNs and proxies don't compress responses that they can't
    // cache.
    middleware: compress(),
    description: PAGES,
    request: {
      params: SessionId,
      query: z.object({
        since_seq: seq.optional().describe("Only events after this one"),
        before_seq: seq.optional().describe("Only the last events before this one"),
        tail: z.coerce.number().int().min(1).max(MAX_EVENTS).optional().describe("Only this many of the latest events"),
        limit: z.coerce.number().int().min(1).max(MAX_EVENTS).default(500),
        event_types: z
          .string()
          .max(2000)
          .optional()
          .describe(
            "Only these types, separated by commas. Also accepts `session_started` and `session_ended`, which mark the start and end of each run",
          ),
      }),
    },
    responses: answers(EventPage, "The page"),
  }),
  stream: endpoint.get("/api/v1/sessions/{id}/stream", {
    summary: "Stream a session's events, starting after Last-Event-ID or `since_seq`",
    description: FRAMES,
    request: {
      params: SessionId,
      query: z.object({
        since_seq: z.string().optional(),
        include_events: z.stringbool().default(true).openapi({ type: "boolean", default: true }),
        include_terminal: z.stringbool().default(true).openapi({ type: "boolean", default: true }),
        task: z.string().max(100).optional().describe("Ends the stream when this task ends, with a `complete` frame"),
      }),
      headers: z.object({ "last-event-id": z.string().optional() }),
    },
    responses: {
      ...streams("One frame per event"),
      204: { description: "The task has ended and the client has all events. Don't reconnect" },
    },
  }),
}

/** Serves a session's events, as pages and as streams. */
export function sessionEventRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)

  async function findTask(session: SessionHandle, taskId: string): Promise<RunState> {
    const run = await findRun(deps.records, session, taskId, options)
    if (run) return run
    throw new AppError("run_not_found", "This session has no task with this ID.", { task_id: taskId })
  }

  return createRoutes()
    .openapi(routes.events, async (c) => {
      const { tail, event_types, ...query } = c.req.valid("query")
      const named =
        event_types === undefined ? undefined : namedEvents(event_types.split(",").map((name) => name.trim()))
      const limit = tail ?? query.limit
      const range = rangeOf({ tail, ...query })
      const session = await find(c, c.req.valid("param").id)
      const page = await readEvents(deps, session, range, { limit, types: named?.types, ...options })
      return c.json({ ...page, events: named ? page.events.map(named.toNamed) : page.events }, 200)
    })
    .openapi(routes.stream, async (c): Promise<Response> => {
      const query = c.req.valid("query")
      // The header takes precedence: a reconnecting browser repeats the original query, but puts its latest position in
      // the header.
      const lastId = c.req.valid("header")["last-event-id"]
      const since = parseMergedCursor(lastId ?? query.since_seq)
      const session = await find(c, c.req.valid("param").id)
      const task = query.task === undefined ? undefined : await findTask(session, query.task)
      const include = { events: query.include_events, terminal: query.include_terminal, task }
      if (lastId !== undefined && hasWholeTask(session, include, since.seq)) return c.body(null, 204)
      return sendEvents(c, { ...deps, ...options }, (signal) =>
        sessionFrames(deps, session, since, { include, signal }),
      )
    })
}

function rangeOf(query: { since_seq?: number; before_seq?: number; tail?: number }): PageRange {
  const named = [query.since_seq, query.before_seq, query.tail].filter((value) => value !== undefined)
  if (named.length > 1) {
    throw new AppError("validation_error", "Use only one of since_seq, before_seq and tail.")
  }
  if (query.tail !== undefined) return { before: Number.POSITIVE_INFINITY }
  if (query.before_seq !== undefined) return { before: query.before_seq }
  return { since: query.since_seq ?? 0 }
}
