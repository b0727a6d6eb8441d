import { randomUUID } from "node:crypto"
import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AgentId, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import { openTerminal } from "@switchyard/core/agents/runner/inboxes"
import { ASCIICAST } from "@switchyard/core/agents/terminals/recordings"
import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { findTerminal, listTerminals, TerminalView } from "@switchyard/core/agents/terminals/terminal-index"
import { AppError } from "@switchyard/core/errors"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { readAll } from "@switchyard/core/storage/blobs"
import { attachment } from "@switchyard/core/storage/content-disposition"
import { charLimit } from "@switchyard/core/text/text-limits-schema"
import { runningAgent } from "@switchyard/core/work/runs/state"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { parseRange } from "../../http/byte-range.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody, streams } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"
import { sendEvents } from "../../http/sse.ts"
import { parseTerminalCursor, terminalFrames } from "../../http/terminal-stream.ts"

const endpoint = endpointsOf("terminals")
const ofTerminal = SessionId.extend({ pty: z.string().max(100) })
const Client = z
  .string()
  .regex(/^[\w.-]{1,64}$/)
  .describe("Identifies the sender, for example a browser tab")
const Input = z
  .object({
    data: z.string().max(1_000_000).describe("Base64"),
    client: Client.optional(),
    client_seq: z
      .int()
      .positive()
      .optional()
      .describe("Input number, starting at 1. Input with a repeated number is ignored"),
  })
  .openapi("TerminalInput")
const Size = z
  .object({
    rows: z.int().min(1).max(500),
    cols: z.int().min(1).max(500),
    client: Client.optional().describe(
      "The first client to report a size controls it. A request without a client takes control",
    ),
    take: z.boolean().default(false).describe("Takes control of the size from the current client"),
  })
  .openapi("TerminalSize")
const Sent = z.object({ success: z.literal(true) }).openapi("Sent")
const Sized = z.object({ success: z.literal(true), rows: z.int(), cols: z.int() }).openapi("Resized")
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

const FRAMES = `Frames: \`snapshot\` (clear the screen, set this size, then write \`screen\`), \`bytes\` (write
\`data\`, base64), \`resized\`, and finally \`ended\`. A frame's ID is the viewer's \`offset\` after the frame, with
\`.ended\` appended for the last one. \`after\` is the session event that precedes the frame.`

export const routes = {
  list: endpoint.get("/api/v1/sessions/{id}/terminals", {
    summary: "List a session's terminals, including closed ones",
    request: { params: SessionId },
    responses: answers(z.object({ terminals: z.array(TerminalView) }).openapi("Terminals"), "Oldest first"),
  }),
  stream: endpoint.get("/api/v1/sessions/{id}/terminals/{pty}/stream", {
    summary: "Stream a terminal, from its last snapshot or from an offset",
    description: FRAMES,
    request: {
      params: ofTerminal,
      query: z.object({ offset: z.string().optional(), client: Client.optional() }),
      headers: z.object({ "last-event-id": z.string().optional() }),
    },
    responses: {
      ...streams("One frame per snapshot or chunk of output"),
      204: { description: "The terminal is closed and its stream is complete; don't reconnect" },
    },
  }),
  recording: endpoint.get("/api/v1/sessions/{id}/terminals/{pty}/recording", {
    summary: "Get the recording of a closed terminal as an asciicast",
    request: { params: ofTerminal, headers: z.object({ range: z.string().optional() }) },
    responses: {
      ...answers(z.string(), ""),
      200: { description: "The recording", content: { [ASCIICAST]: { schema: z.string() } } },
      206: {
        description: "The first 4 MB of the requested range",
        content: { [ASCIICAST]: { schema: z.string() } },
      },
      302: { description: "Redirect to the file, if it is larger than 4 MB and no range was requested" },
      416: { description: "The range is beyond the end of the file" },
    },
  }),
  typeInto: endpoint.post("/api/v1/sessions/{id}/terminals/{pty}/input", {
    summary: "Type into a terminal",
    request: { params: ofTerminal, body: jsonBody(Input) },
    responses: answers(Sent, "Accepted"),
  }),
  resizeOne: endpoint.post("/api/v1/sessions/{id}/terminals/{pty}/resize", {
    summary: "Report a terminal's display size",
    request: { params: ofTerminal, body: jsonBody(Size) },
    responses: answers(Sized, "Accepted. Applied if the client controls the size"),
  }),
  input: endpoint.post("/api/v1/sessions/{id}/input", {
    summary: "Type into the latest terminal",
    request: { params: SessionId, body: jsonBody(Input) },
    responses: answers(Sent, "Accepted"),
  }),
  resize: endpoint.post("/api/v1/sessions/{id}/resize", {
    summary: "Report the latest terminal's display size",
    request: { params: SessionId, body: jsonBody(Size) },
    responses: answers(Sized, "Accepted. Applied if the client controls the size"),
  }),
  message: endpoint.post("/api/v1/sessions/{id}/messages", {
    summary: "Send a message to a working agent",
    request: {
      params: SessionId,
      body: jsonBody(
        z
          .object({
            content: z
              .string()
              .max(...charLimit("message"))
              .refine((text) => text.trim() !== "", "The message is empty."),
            source: z.enum(["ui", "cli", "slack", "api"]).default("ui"),
            agent_id: AgentId.default(MAIN_AGENT),
          })
          .openapi("NewMessage"),
      ),
    },
    responses: answers(Sent.extend({ session_id: z.string() }).openapi("SentMessage"), "Accepted"),
  }),
}

/** Serves working agents' terminals, and accepts input to them. */
export function terminalRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)

  async function send(session: SessionHandle, message: InboxMessage): Promise<{ success: true }> {
    await deps.inboxes.send(session, [message], options)
    return { success: true }
  }

  async function typed(session: SessionHandle, named: string | undefined, input: z.infer<typeof Input>) {
    const pty = openTerminal(session, named)
    const data = readBase64(input.data)
    const { client, client_seq = 1 } = input.client_seq === undefined ? {} : input
    return send(session, { type: "terminal_input", pty, client: client ?? randomUUID(), client_seq, data })
  }

  async function sized(session: SessionHandle, named: string | undefined, size: z.infer<typeof Size>) {
    const pty = openTerminal(session, named)
    const { rows, cols, client = "api", take } = size
    const mine = take || size.client === undefined
    return { ...(await send(session, { type: "terminal_resize", pty, client, rows, cols, take: mine })), rows, cols }
  }

  return createRoutes()
    .openapi(routes.list, async (c) => {
      const terminals = await listTerminals(deps, await find(c, c.req.valid("param").id), options)
      return c.json({ terminals: terminals.map(({ view }) => view) }, 200)
    })
    .openapi(routes.stream, async (c): Promise<Response> => {
      const { id, pty } = c.req.valid("param")
      const { client = randomUUID(), ...query } = c.req.valid("query")
      const { offset, ended } = parseTerminalCursor(c.req.valid("header")["last-event-id"] ?? query.offset)
      const session = await find(c, id)
      await findTerminal(deps, session, pty, options)
      if (ended) return c.body(null, 204)
      return sendEvents(c, { ...deps, ...options }, (signal) =>
        terminalFrames(deps, session, pty, { client, offset }, signal),
      )
    })
    .openapi(routes.recording, async (c): Promise<Response> => {
      const { id, pty } = c.req.valid("param")
      const { recording } = await findTerminal(deps, await find(c, id), pty, options)
      const found = recording === null ? undefined : await deps.blobs.head(recording, options)
      if (!found) throw new AppError("not_found", "This terminal has no recording.")
      const { key, sizeBytes } = found
      const filename = `${pty}.cast`
      const headers = {
        "Content-Type": ASCIICAST,
        "Content-Disposition": attachment(filename),
        "Accept-Ranges": "bytes",
      }
      const asked = parseRange(c.req.header("range"), sizeBytes)
      if (asked === "unsatisfiable") return c.body(null, 416, { "Content-Range": `bytes */${sizeBytes}` })
      if (!asked && sizeBytes > MAX_ANSWER_BYTES) {
        return c.redirect(
          await deps.blobs.signedUrl(key, { expiresInSeconds: 900, filename, contentType: ASCIICAST }),
          302,
        )
      }
      const range = asked && { start: asked.start, end: Math.min(asked.end, asked.start + MAX_ANSWER_BYTES - 1) }
      const source = await deps.blobs.get(key, { ...options, range })
      const bytes = source ? new Uint8Array(await readAll(source)) : ""
      if (!range) return c.body(bytes, 200, headers)
      return c.body(bytes, 206, { ...headers, "Content-Range": `bytes ${range.start}-${range.end}/${sizeBytes}` })
    })
    .openapi(routes.typeInto, async (c) => {
      const { id, pty } = c.req.valid("param")
      return c.json(await typed(await find(c, id), pty, c.req.valid("json")), 200)
    })
    .openapi(routes.resizeOne, async (c) => {
      const { id, pty } = c.req.valid("param")
      return c.json(await sized(await find(c, id), pty, c.req.valid("json")), 200)
    })
    .openapi(routes.input, async (c) => {
      return c.json(await typed(await find(c, c.req.valid("param").id), undefined, c.req.valid("json")), 200)
    })
    .openapi(routes.resize, async (c) => {
      return c.json(await sized(await find(c, c.req.valid("param").id), undefined, c.req.valid("json")), 200)
    })
    .openapi(routes.message, async (c) => {
      const { id } = c.req.valid("param")
      const session = await find(c, id)
      const message = c.req.valid("json")
      if (!runningAgent(session.state, message.agent_id))
        throw new AppError("terminal_invalid", "The agent has no active task.")
      const sent = await send(session, { type: "agent_message", ...message })
      return c.json({ ...sent, session_id: id }, 200)
    })
}

function readBase64(text: string): string {
  if (z.base64().safeParse(text).success) return text
  throw new AppError("terminal_invalid", "`data` is not valid base64.")
}
