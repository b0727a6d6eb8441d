import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { EventFrame } from "@switchyard/core/work/runs/run-events"
import type { AppDeps } from "../../deps.ts"
import { firstFrames } from "../../http/first-frames.ts"
import { principal } from "../../http/request.ts"
import { createRoutes, endpointsOf, streams } from "../../http/routing.ts"
import { isKnownFrame, parseSources, sharedFrames } from "../../http/shared-stream.ts"
import { sendEvents } from "../../http/sse.ts"

const endpoint = endpointsOf("sessions")

const SOURCES = `Up to 100, separated by commas. \`session:seq\` follows a session's events after \`seq\`, without its
terminals. \`session:summary\` sends the session as in the list of sessions as \`summary\` frames: now, and after each
change. \`session/terminal:offset:client\` follows a terminal. Without an offset, it starts at the last snapshot.
Percent-encode IDs that contain \`,:/%\`.`

const MAX_WAIT_MS = 20_000

const WAIT = `For clients behind a proxy that buffers whole responses. The stream ends soon after its first frames, or
after this time if there are none. Reconnect as after any other end.`

const FRAMES = `For clients that follow many sources but can open only a few connections. Each frame is a frame from
the session's or terminal's own stream, wrapped as \`{source, data}\`: the zero-based index of the source in the list,
and the frame's original data. If a source can't be served, or no longer can be, its last frame is \`error\` with the
error envelope; the other sources continue. Frames have no ID: reconnect with the last \`seq\` or \`offset\` of each
source. The stream ends when its last source does.

If \`sockets\` in \`/config.json\` is true, a WebSocket at \`/ws?sources=…\` sends the same frames. It needs a token,
or a \`ticket\` from \`POST /v1/tickets\`. It sends \`{type: "ready"}\` first, and then \`{type: "frame", event,
data}\`. It also accepts input: \`{type: "input", request, session, pty, client, client_seq, data}\` and \`{type:
"resize", request, session, pty, client, rows, cols}\` are answered with \`{type: "accepted", request}\` or \`{type:
"refused", request, error}\`. Wait for the answer before you send the next message. If no answer arrives, resend the
message with the same \`client_seq\`, here or by POST: it is typed only once. With \`batch=true\` in the URL, messages
that queue up while another is being sent may arrive as one: \`{type: "batch", messages: […]}\`, in order and up to 32
KB long. This applies to every WebSocket.`

export const routes = {
  shared: endpoint.get("/api/v1/stream", {
    summary: "Stream several sessions and terminals over one connection",
    description: FRAMES,
    request: {
      query: z.object({
        sources: z.string().min(1).max(8000).describe(SOURCES),
        wait_ms: z.coerce.number().int().min(0).max(MAX_WAIT_MS).optional().describe(WAIT),
      }),
    },
    responses: streams("One frame per event, snapshot or chunk of output"),
  }),
}

/** Serves a single stream with the events of all sources that a browser's tabs follow. */
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
