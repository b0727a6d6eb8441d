import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { createWorktreePort } from "@switchyard/core/agents/runner/worktree-commands"
import { AppError } from "@switchyard/core/errors"
import { inLiveSession } from "@switchyard/core/kernel/rules"
import type { Rule } from "@switchyard/core/kernel/session-log"
import { defaultModel } from "@switchyard/core/models/resolve"
import { startTurn } from "@switchyard/core/sessions/requests/chat-request"
import { fork, rewind } from "@switchyard/core/sessions/requests/chat-rewind"
import { ChatContext } from "@switchyard/core/work/chat/context-schema"
import { chatFrames } from "@switchyard/core/work/chat/follow-chat"
import { newChatId } from "@switchyard/core/work/chat/ids"
import { checkSelection, listChats, readContext, searchChats, viewChat } from "@switchyard/core/work/chat/read-chat"
import {
  ChatFiles,
  ChatForecast,
  ChatSession,
  ChatView,
  FoundMessage,
  NewChatTurn,
  Selection,
  StartedTurn,
} from "@switchyard/core/work/chat/request-schema"
import { openChat, selectFiles } from "@switchyard/core/work/chat/rules"
import { ChatTotals } from "@switchyard/core/work/chat/schema"
import { turnOf } from "@switchyard/core/work/chat/state"
import { parseCursor } from "@switchyard/core/work/runs/follow-run"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { modelKey, principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody, streams } from "../http/routing.ts"
import { RunHeaders, SessionId } from "../http/schemas.ts"
import { sendEvents } from "../http/sse.ts"

const tags = ["chat"]
const path = "/api/v1/sessions/{id}/chat"
const Turn = SessionId.extend({ request: z.string().max(60) })
const StoppedTurn = z.object({ status: z.literal("cancelled"), request_id: z.string() }).openapi("StoppedChatTurn")
const UndoneEdits = z.object({ status: z.literal("undone"), request_id: z.string() }).openapi("UndoneChatEdits")
const SelectedFiles = z.object({ files: z.array(z.string().max(1024)).max(1000) }).openapi("SelectedFiles")
const ChatSessions = z.object({ sessions: z.array(ChatSession) }).openapi("ChatSessions")
const FoundMessages = z.object({ messages: z.array(FoundMessage) }).openapi("FoundChatMessages")
const ChatId = z.object({ session_id: z.string().max(60) }).openapi("ChatId")

const Moment = z.object({ to_seq: z.int().nonnegative().describe("Everything after this event is undone") })
const Rewind = Moment.extend({
  files: z.boolean().default(true).describe("Whether the files are taken back, too"),
}).openapi("ChatRewind")
const Rewound = z
  .object({
    to_seq: z.int(),
    workspace_version: z.int(),
    files_kept: z.boolean().describe("Whether the files stay as they are: unasked for, or those of a repository"),
  })
  .openapi("RewoundChat")
const Fork = Moment.openapi("ChatFork")
const Forked = z.object({ id: z.string().describe("The new session") }).openapi("ForkedSession")

const ContextView = z
  .object({ context: ChatContext.nullable().describe("Null before the first turn"), session_totals: ChatTotals })
  .openapi("ChatContextView")

const STREAM = `The frames are \`streamChunk\`, whose \`content\` is the whole answer so far, \`streamComplete\` with the result, once, \`compactionEvent\` and
\`contextChanged\`. A reader that comes late gets the answer so far first. With \`request_id\` the stream is that turn, whole, and ends with it.`

export const routes = {
  ask: createRoute({
    method: "post",
    path,
    tags,
    summary: "Ask about the files of a session, and have them edited",
    request: { params: SessionId, headers: RunHeaders, body: jsonBody(NewChatTurn) },
    responses: answers(StartedTurn, "The turn, which its stream follows", 202),
  }),
  view: createRoute({
    method: "get",
    path,
    tags,
    summary: "Get the chat of a session, with its newest messages",
    request: { params: SessionId, query: z.object({ before: z.coerce.number().int().positive().optional() }) },
    responses: answers(ChatView, "The chat"),
  }),
  cancel: createRoute({
    method: "post",
    path: `${path}/{request}/cancel`,
    tags,
    summary: "Stop a turn",
    request: { params: Turn },
    responses: answers(StoppedTurn, "It stops"),
  }),
  undo: createRoute({
    method: "post",
    path: `${path}/{request}/undo`,
    tags,
    summary: "Take the edits of an answer back",
    description:
      "All of them or none: it is refused where one of the files was changed after the answer. In a repository it is a commit.",
    request: { params: Turn },
    responses: answers(UndoneEdits, "They are undone"),
  }),
  stream: createRoute({
    method: "get",
    path: `${path}/stream`,
    tags,
    summary: "Stream a chat, or one of its turns, after Last-Event-ID",
    description: STREAM,
    request: {
      params: SessionId,
      query: z.object({ request_id: z.string().max(60).optional() }),
      headers: z.object({ "last-event-id": z.string().optional() }),
    },
    responses: streams("One frame for each change"),
  }),
  select: createRoute({
    method: "put",
    path: `${path}/selection`,
    tags,
    summary: "Select the files that the model is shown in full",
    request: {
      params: SessionId,
      body: jsonBody(SelectedFiles),
    },
    responses: answers(Selection, "The selection, and what can't be selected"),
  }),
  files: createRoute({
    method: "get",
    path: `${path}/files`,
    tags,
    summary: "List the files that the chat is about",
    description: "Those of the session, or all of its repository's worktree as they were last read.",
    request: { params: SessionId },
    responses: answers(ChatFiles, "The files"),
  }),
  readFiles: createRoute({
    method: "post",
    path: `${path}/files`,
    tags,
    summary: "Read the files of the session's repository anew",
    description:
      "Each turn does that by itself. A worktree is made if there is none, which takes as long as a clone does.",
    request: { params: SessionId },
    responses: answers(ChatFiles, "The files"),
  }),
  context: createRoute({
    method: "get",
    path: `${path}/context`,
    tags,
    summary: "Get what the model was shown in the newest turn, by how stable it is",
    request: { params: SessionId },
    responses: answers(ContextView, "The tiers with their items, what moved between them, and the session's totals"),
  }),
  forecast: createRoute({
    method: "get",
    path: `${path}/forecast`,
    tags,
    summary: "Predict what the next turn reads from the provider's cache, and what it writes anew",
    description:
      "Estimated from what the newest turn showed, the files and the selection as they are now. No model is asked.",
    request: { params: SessionId, query: z.object({ model: z.string().max(200).optional() }) },
    responses: answers(ChatForecast, "The tokens, and why"),
  }),
  sessions: createRoute({
    method: "get",
    path: `${path}/sessions`,
    tags,
    summary: "List the conversations of a session",
    request: { params: SessionId, query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }) },
    responses: answers(ChatSessions, "The newest first"),
  }),
  search: createRoute({
    method: "get",
    path: `${path}/search`,
    tags,
    summary: "Search all conversations of a session",
    request: {
      params: SessionId,
      query: z.object({
        q: z.string().max(200).default(""),
        role: z.enum(["user", "assistant"]).optional(),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    },
    responses: answers(FoundMessages, "The newest first"),
  }),
  begin: createRoute({
    method: "post",
    path: `${path}/new`,
    tags,
    summary: "Begin a new conversation",
    request: { params: SessionId },
    responses: answers(ChatId, "The conversation", 201),
  }),
  rewind: createRoute({
    method: "post",
    path: `${path}/rewind`,
    tags,
    summary: "Take the conversation, and the files with it, back to an earlier event",
    description:
      "What is undone stays in the log: rewind to the end of a branch to return to it. The files become a new version that is like the old one.",
    request: { params: SessionId, body: jsonBody(Rewind) },
    responses: answers(Rewound, "The moment, and the version of the files now"),
  }),
  fork: createRoute({
    method: "post",
    path: `${path}/fork`,
    tags,
    summary: "Open a new session with the conversation and the files of an event",
    request: { params: SessionId, body: jsonBody(Fork) },
    responses: answers(Forked, "The new session", 201),
  }),
  load: createRoute({
    method: "post",
    path: `${path}/load`,
    tags,
    summary: "Go on with an earlier conversation",
    request: { params: SessionId, body: jsonBody(ChatId) },
    responses: answers(ChatId, "The conversation"),
  }),
}

/** The chat over the files of a session. */
export function chatRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const models = deps.config.models
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)

  /** Decides in a session of the caller's. */
  async function decide(c: Context, id: string, rule: Rule) {
    const { sessionId } = await find(c, id)
    const { session } = await deps.sessions.touch(principal(c).owner, sessionId, { active: true, ...options })
    await session.decide(inLiveSession(rule), options)
  }

  async function turnIn(c: Context, id: string, requestId: string) {
    const session = await find(c, id)
    const turn = turnOf(session.state, requestId)
    if (!turn) throw new AppError("not_found", "This chat has no turn with this id.", { request_id: requestId })
    return { session, turn }
  }

  return createRoutes()
    .openapi(routes.ask, async (c) => {
      const request = c.req.valid("json")
      const { owner } = principal(c)
      const session = await find(c, c.req.valid("param").id)
      const caller = { owner, session, apiKey: modelKey(c, request.api_key) }
      const { requestId, found } = await startTurn({ ...deps, models }, caller, request, options)
      return c.json({ status: "started" as const, request_id: requestId, run_id: found.run.runId }, 202)
    })
    .openapi(routes.view, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const { before } = c.req.valid("query")
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
      const { undoEdits } = await import("@switchyard/core/work/chat/undo-edits")
      const { sessionId } = await find(c, id)
      const { session } = await deps.sessions.touch(principal(c).owner, sessionId, { active: true, ...options })
      await undoEdits({ ...deps, worktrees: createWorktreePort(deps) }, session, requestId, options)
      return c.json({ status: "undone" as const, request_id: requestId }, 200)
    })
    .openapi(routes.stream, async (c): Promise<Response> => {
      const since = parseCursor(c.req.valid("header")["last-event-id"])
      const { id } = c.req.valid("param")
      const { request_id } = c.req.valid("query")
      const { session, turn } =
        request_id === undefined ? { session: await find(c, id), turn: undefined } : await turnIn(c, id, request_id)
      return sendEvents(c, { ...deps, ...options }, (signal) => chatFrames(deps, session, { turn, since, signal }))
    })
    .openapi(routes.select, async (c) => {
      const { id } = c.req.valid("param")
      const session = await find(c, id)
      const selection = await checkSelection(deps, session, c.req.valid("json").files, options)
      await decide(c, id, selectFiles(selection.selected_files))
      return c.json(selection, 200)
    })
    .openapi(routes.files, async (c) => {
      const { listChatFiles } = await import("@switchyard/core/work/chat/chat-files")
      return c.json(await listChatFiles(deps, await find(c, c.req.valid("param").id), options), 200)
    })
    .openapi(routes.readFiles, async (c) => {
      const { listChatFiles, refreshChatFiles } = await import("@switchyard/core/work/chat/chat-files")
      const { sessionId } = await find(c, c.req.valid("param").id)
      const { session } = await deps.sessions.touch(principal(c).owner, sessionId, { active: true, ...options })
      await refreshChatFiles({ ...deps, worktrees: createWorktreePort(deps) }, session, options)
      return c.json(await listChatFiles(deps, session, options), 200)
    })
    .openapi(routes.context, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const context = await readContext(deps, session, options)
      return c.json({ context, session_totals: session.state.chat.totals }, 200)
    })
    .openapi(routes.forecast, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      // Loaded when it is first asked for: the arithmetic of tiers is a worker's.
      const { forecastTurn } = await import("@switchyard/core/work/chat/forecast-turn")
      const model = c.req.valid("query").model ?? defaultModel(models)
      return c.json(await forecastTurn(deps, session, { model, ...options }), 200)
    })
    .openapi(routes.sessions, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      return c.json({ sessions: await listChats(deps, session, { ...c.req.valid("query"), ...options }) }, 200)
    })
    .openapi(routes.search, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      return c.json({ messages: await searchChats(deps, session, { ...c.req.valid("query"), ...options }) }, 200)
    })
    .openapi(routes.begin, async (c) => {
      const chatId = newChatId(deps.clock.now())
      await decide(c, c.req.valid("param").id, openChat(chatId))
      return c.json({ session_id: chatId }, 201)
    })
    .openapi(routes.rewind, async (c) => {
      const handle = await find(c, c.req.valid("param").id)
      const { session } = await deps.sessions.touch(principal(c).owner, handle.sessionId, { active: true, ...options })
      const { to_seq, files } = c.req.valid("json")
      await rewind(deps, { session, handle }, { toSeq: to_seq, files, ...options })
      const files_kept = !files || session.state.session.repository !== null
      return c.json({ to_seq, workspace_version: session.state.workspace.version, files_kept }, 200)
    })
    .openapi(routes.fork, async (c) => {
      const { owner } = principal(c)
      const handle = await find(c, c.req.valid("param").id)
      const { sessionId } = await fork(deps, { owner, handle }, { toSeq: c.req.valid("json").to_seq, ...options })
      return c.json({ id: sessionId }, 201)
    })
    .openapi(routes.load, async (c) => {
      const { id } = c.req.valid("param")
      const { session_id } = c.req.valid("json")
      const chats = await listChats(deps, await find(c, id), { limit: Number.POSITIVE_INFINITY, ...options })
      if (!chats.some((chat) => chat.session_id === session_id)) {
        throw new AppError("not_found", "There is no such conversation.", { session_id })
      }
      await decide(c, id, openChat(session_id))
      return c.json({ session_id }, 200)
    })
}
