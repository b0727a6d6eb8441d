import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { newChatId } from "@switchyard/core/work/chat/ids"
import { ChatSession, FoundMessage } from "@switchyard/core/work/chat/request-schema"
import { openChat } from "@switchyard/core/work/chat/rules"
import type { AppDeps } from "../../deps.ts"
import { CHAT_PATH, createChatSessions } from "../../http/chat-session.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("chat")
const ChatSessions = z.object({ sessions: z.array(ChatSession) }).openapi("ChatSessions")
const FoundMessages = z.object({ messages: z.array(FoundMessage) }).openapi("FoundChatMessages")
const ChatId = z.object({ session_id: z.string().max(60) }).openapi("ChatId")
const Moment = z.object({ to_seq: z.int().nonnegative().describe("Everything after this event is undone") })
const Rewind = Moment.extend({
  files: z.boolean().default(true).describe("Whether to rewind the files too"),
}).openapi("ChatRewind")
const Rewound = z
  .object({
    to_seq: z.int(),
    workspace_version: z.int(),
    files_kept: z.boolean().describe("True if the files were left as they are, as requested"),
  })
  .openapi("RewoundChat")
const Fork = Moment.openapi("ChatFork")
const Begun = { status: z.literal("started"), run_id: z.string().describe("ID of the run that does the work") }
const Rewinding = z.object({ ...Begun, to_seq: z.int() }).openapi("RewindingChat")
const Forking = z.object({ ...Begun, id: z.string().describe("ID of the new session") }).openapi("ForkingSession")

export const routes = {
  sessions: endpoint.get(`${CHAT_PATH}/sessions`, {
    summary: "List a session's conversations",
    request: { params: SessionId, query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }) },
    responses: answers(ChatSessions, "Newest first"),
  }),
  search: endpoint.get(`${CHAT_PATH}/search`, {
    summary: "Search all conversations of a session",
    request: {
      params: SessionId,
      query: z.object({
        q: z.string().max(200).default(""),
        role: z.enum(["user", "assistant"]).optional(),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    },
    responses: answers(FoundMessages, "Newest first"),
  }),
  begin: endpoint.post(`${CHAT_PATH}/new`, {
    summary: "Start a new conversation",
    request: { params: SessionId },
    responses: answers(ChatId, "The conversation", 201),
  }),
  load: endpoint.post(`${CHAT_PATH}/load`, {
    summary: "Continue an earlier conversation",
    request: { params: SessionId, body: jsonBody(ChatId) },
    responses: answers(ChatId, "The conversation"),
  }),
  rewind: endpoint.post(`${CHAT_PATH}/rewind`, {
    summary: "Rewind the conversation, and optionally the files, to an earlier event",
    description:
      "Undone messages stay in the log: to return to a branch, rewind to its end. The files become a new version with the old content. In a repository, a commit restores the files as they were last read before the event. This is done by a run, and the response is 202. The chat's `restoring` is set until the run ends. A rewind is refused while an agent is working in the repository.",
    request: { params: SessionId, body: jsonBody(Rewind) },
    responses: {
      ...answers(Rewound, "The event, and the current version of the files"),
      ...answers(Rewinding, "The files of a repository are being restored", 202),
    },
  }),
  fork: endpoint.post(`${CHAT_PATH}/fork`, {
    summary: "Open a new session with the conversation and files as of an event",
    description:
      "In a repository, the new session gets its own branch with the commits saved closest to the event, and the files as they were last read before it. A run copies everything. The new session's `restoring` in the chat is set until that run ends. Repeating the request with the same `Idempotency-Key` returns the same session.",
    request: {
      params: SessionId,
      headers: z.object({ "idempotency-key": z.string().min(1).max(255).optional() }),
      body: jsonBody(Fork),
    },
    responses: answers(Forking, "The new session, which is being filled", 202),
  }),
}

/** Serves a session's conversations, and lets clients rewind and fork them. */
export function chatConversationRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const { find, open, decide } = createChatSessions(deps)

  const loadRewind = () => import("@switchyard/core/sessions/moments/chat-rewind")

  // Load this module on demand, so that the API starts faster.
  const loadView = () => import("@switchyard/core/work/chat/history/read-chat")
  return createRoutes()
    .openapi(routes.sessions, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const { listChats } = await loadView()
      return c.json({ sessions: await listChats(deps, session, { ...c.req.valid("query"), ...options }) }, 200)
    })
    .openapi(routes.search, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const { searchChats } = await loadView()
      return c.json({ messages: await searchChats(deps, session, { ...c.req.valid("query"), ...options }) }, 200)
    })
    .openapi(routes.begin, async (c) => {
      const chatId = newChatId(deps.clock.now())
      await decide(c, c.req.valid("param").id, openChat(chatId))
      return c.json({ session_id: chatId }, 201)
    })
    .openapi(routes.load, async (c) => {
      const { id } = c.req.valid("param")
      const { session_id } = c.req.valid("json")
      const { listChats } = await loadView()
      const chats = await listChats(deps, await find(c, id), {
        limit: Number.POSITIVE_INFINITY,
        ...options,
      })
      if (!chats.some((chat) => chat.session_id === session_id)) {
        throw new AppError("not_found", "This session has no conversation with this ID.", { session_id })
      }
      await decide(c, id, openChat(session_id))
      return c.json({ session_id }, 200)
    })
    .openapi(routes.rewind, async (c) => {
      const { session, handle } = await open(c, c.req.valid("param").id)
      const { to_seq, files } = c.req.valid("json")
      const { rewind } = await loadRewind()
      const { owner } = principal(c)
      const begun = await rewind(deps, { owner, session, handle }, { toSeq: to_seq, files, ...options })
      if (begun) return c.json({ status: "started" as const, run_id: begun.runId, to_seq }, 202)
      return c.json({ to_seq, workspace_version: session.state.workspace.version, files_kept: !files }, 200)
    })
    .openapi(routes.fork, async (c) => {
      const { owner } = principal(c)
      const handle = await find(c, c.req.valid("param").id)
      const { fork } = await import("@switchyard/core/sessions/moments/chat-fork")
      const { to_seq: toSeq } = c.req.valid("json")
      const key = c.req.valid("header")["idempotency-key"]
      const { sessionId, runId } = await fork(deps, { owner, handle }, { toSeq, key, ...options })
      return c.json({ status: "started" as const, run_id: runId, id: sessionId }, 202)
    })
}
