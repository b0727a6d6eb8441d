import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { defaultModel } from "@switchyard/core/models/resolve"
import { requireInRange } from "@switchyard/core/sessions/events/event-page"
import { ChatView, NewChatTurn, StartedChatRun, StartedTurn } from "@switchyard/core/work/chat/request-schema"
import { turnOf } from "@switchyard/core/work/chat/state"
import { parseCursor } from "@switchyard/core/work/runs/follow-run"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { CHAT_PATH, createChatSessions } from "../../http/chat-session.ts"
import { modelKey, principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody, streams } from "../../http/routing.ts"
import { RunHeaders, SessionId } from "../../http/schemas.ts"
import { sendEvents } from "../../http/sse.ts"

const endpoint = endpointsOf("chat")
const Turn = SessionId.extend({ request: z.string().max(60) })
const StoppedTurn = z.object({ status: z.literal("cancelled"), request_id: z.string() }).openapi("StoppedChatTurn")
const UndoingEdits = StartedChatRun.extend({ request_id: z.string() }).openapi("UndoingChatEdits")
const UndoneEdits = z.object({ status: z.literal("undone"), request_id: z.string() }).openapi("UndoneChatEdits")
const STREAM = `Frames: \`streamChunk\` contains the complete answer so far as \`content\`. \`streamComplete\` contains
the result, and is sent once. \`compactionEvent\` and \`contextChanged\` report changes to the context. A client that
connects late first receives the answer so far. With \`request_id\`, the stream covers only that turn, from start to
end.`

export const routes = {
  ask: endpoint.post(CHAT_PATH, {
    summary: "Ask about a session's files, or request edits",
    request: { params: SessionId, headers: RunHeaders, body: jsonBody(NewChatTurn) },
    responses: answers(StartedTurn, "The turn; its stream reports the progress", 202),
  }),
  view: endpoint.get(CHAT_PATH, {
    summary: "Get a session's chat, with its latest messages",
    request: { params: SessionId, query: z.object({ before: z.coerce.number().int().positive().optional() }) },
    responses: answers(ChatView, "The chat"),
  }),
  cancel: endpoint.post(`${CHAT_PATH}/{request}/cancel`, {
    summary: "Stop a turn of a chat",
    request: { params: Turn },
    responses: answers(StoppedTurn, "The turn is stopping"),
  }),
  undo: endpoint.post(`${CHAT_PATH}/{request}/undo`, {
    summary: "Undo an answer's edits",
    description:
      "Undoes all edits or none, and is refused if a file has changed since the answer. In a repository, a run commits the undo, and the response is 202. The chat's `restoring` is set until the run ends.",
    request: { params: Turn },
    responses: {
      ...answers(UndoneEdits, "The edits are undone"),
      ...answers(UndoingEdits, "The edits are being undone in the repository", 202),
    },
  }),
  stream: endpoint.get(`${CHAT_PATH}/stream`, {
    summary: "Stream a chat, or one of its turns, after Last-Event-ID",
    description: STREAM,
    request: {
      params: SessionId,
      query: z.object({ request_id: z.string().max(60).optional() }),
      headers: z.object({ "last-event-id": z.string().optional() }),
    },
    responses: streams("One frame per change"),
  }),
}

/** Serves the turns of a chat about a session's files. */
export function chatRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const models = deps.config.models
  const { find, open } = createChatSessions(deps)

  async function turnIn(c: Context, id: string, requestId: string) {
    const session = await find(c, id)
    const turn = turnOf(session.state, requestId)
    if (!turn) throw new AppError("not_found", "This chat has no turn with this ID.", { request_id: requestId })
    return { session, turn }
  }

  // Load this module on demand, so that the API starts faster.
  const loadRequest = () => import("@switchyard/core/sessions/requests/chat-request")
  const loadStream = () => import("@switchyard/core/work/chat/history/follow-chat")
  const loadView = () => import("@switchyard/core/work/chat/history/read-chat")
  return createRoutes()
    .openapi(routes.ask, async (c) => {
      const request = c.req.valid("json")
      const { owner } = principal(c)
      const { id } = c.req.valid("param")
      const asked = await find(c, id)
      // If an earlier change to the files was interrupted, complete that change first.
      const session = asked.state.chat.restore?.isAbandoned ? (await open(c, id)).handle : asked
      const caller = { owner, session, apiKey: modelKey(c, request.api_key) }
      const { startTurn } = await loadRequest()
      const { requestId, found } = await startTurn({ ...deps, models }, caller, request, options)
      return c.json({ status: "started" as const, request_id: requestId, run_id: found.run.runId }, 202)
    })
    .openapi(routes.view, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const { before } = c.req.valid("query")
      const { viewChat } = await loadView()
      return c.json(await viewChat(deps, session, { before, defaultModel: defaultModel(models), ...options }), 200)
    })
    .openapi(routes.cancel, async (c) => {
      const { id, request: requestId } = c.req.valid("param")
      const { turn } = await turnIn(c, id, requestId)
      if (turn.isEnded) throw new AppError("not_found", "This turn has ended.", { request_id: requestId })
      await deps.runs.cancel(principal(c).owner, turn.runId, "stopped", options)
      return c.json({ status: "cancelled" as const, request_id: requestId }, 200)
    })
    .openapi(routes.undo, async (c) => {
      const { id, request: requestId } = c.req.valid("param")
      const { findUndoable, undoEdits } = await import("@switchyard/core/work/chat/edits/undo-edits")
      const { session, handle } = await open(c, id)
      if (session.state.session.repository === null) await undoEdits(deps, session, requestId, options)
      else if (await findUndoable(deps, session, requestId, options)) {
        const { startFilesTask } = await import("@switchyard/core/sessions/moments/chat-files")
        const caller = { owner: principal(c).owner, session, handle }
        const { runId } = await startFilesTask(deps, caller, { task: "undo", request_id: requestId }, options)
        return c.json({ status: "started" as const, run_id: runId, request_id: requestId }, 202)
      }
      return c.json({ status: "undone" as const, request_id: requestId }, 200)
    })
    .openapi(routes.stream, async (c): Promise<Response> => {
      const since = parseCursor(c.req.valid("header")["last-event-id"])
      const { id } = c.req.valid("param")
      const { request_id } = c.req.valid("query")
      const { session, turn } =
        request_id === undefined ? { session: await find(c, id), turn: undefined } : await turnIn(c, id, request_id)
      requireInRange(session.state, since)
      const { chatFrames } = await loadStream()
      return sendEvents(c, { ...deps, ...options }, (signal) => chatFrames(deps, session, { turn, since, signal }))
    })
}
