import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import type { EventFrame } from "@switchyard/core/work/runs/run-events"
import type { AppDeps } from "../deps.ts"
import { firstFrames } from "../http/first-frames.ts"
import { principal } from "../http/request.ts"
import { createRoutes, streams } from "../http/routing.ts"
import { isKnownFrame, parseSources, sharedFrames } from "../http/shared-stream.ts"
import { sendEvents } from "../http/sse.ts"

const SOURCES = `Up to 100, separated by commas: \`session:seq\` for the events of a session after that one, without its terminals, and
\`session/terminal:offset:client\` for a terminal, from its last snapshot if the offset is left out. An id that has one of \`,:/%\` is
percent-encoded.`

const MAX_WAIT_MS = 20_000

const WAIT = `For a client behind a proxy that delivers nothing of a response before its end: the stream ends soon after its first
frames, or without any after so long. Come back as after any other end.`

const FRAMES = `For a client that follows many and may open few connections. A frame is that of the session's or the terminal's own stream, its data
\`{source, data}\`: the number of the source in the list, from 0, and what its own stream would send. A source that can't be served, or no
longer, has a last frame \`error\` with the error's envelope; the others go on. Frames have no id: come back with the last \`seq\` and \`offset\` of
each. The stream ends with its last source.

Where \`sockets\` of \`/config.json\` is true, a WebSocket at \`/ws?sources=…\`, with a token or with a \`ticket\` of \`POST /v1/tickets\`, sends the same:
\`{type: "ready"}\`, and then \`{type: "frame", event, data}\`. It takes input, too: \`{type: "input", request, session, pty, client, client_seq, data}\` and
\`{type: "resize", request, session, pty, client, rows, cols}\` are answered by \`{type: "accepted", request}\` or \`{type: "refused", request, error}\`. Wait for the
answer before the next one; if none comes, repeat it with its \`client_seq\` here or by POST: it is typed once. Where the address has \`batch=true\`, what comes while
the message before it is sent may come as one: \`{type: "batch", messages: […]}\`, in order and up to 32 KB long. That holds for each socket.`

export const routes = {
  shared: createRoute({
    method: "get",
    path: "/api/v1/stream",
    tags: ["sessions"],
    summary: "Stream several sessions and terminals over one connection",
    description: FRAMES,
    request: {
      query: z.object({
        sources: z.string().min(1).max(8000).describe(SOURCES),
        wait_ms: z.coerce.number().int().min(0).max(MAX_WAIT_MS).optional().describe(WAIT),
      }),
    },
    responses: streams("One frame for each event, snapshot or chunk of output"),
  }),
}

/** One stream for everything that a browser's tabs follow. */
export function streamRoutes(deps: AppDeps): OpenAPIHono {
  return createRoutes().openapi(routes.shared, async (c): Promise<Response> => {
    const { sources: listed, wait_ms: waitMs } = c.req.valid("query")
    const sources = parseSources(listed)
    const open = (signal: AbortSignal) => sharedFrames(deps, principal(c).owner, sources, signal)
    const isKnown = (frame: Exclude<EventFrame, "quiet">) => isKnownFrame(sources, frame)
    return sendEvents(c, { ...deps, signal: deps.stopping }, (signal) =>
      waitMs === undefined ? open(signal) : firstFrames({ clock: deps.clock, waitMs, isKnown }, open, { signal }),
    )
  })
}
