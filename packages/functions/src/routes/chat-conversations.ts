import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { newChatId } from "@switchyard/core/work/chat/ids"
import { ChatSession, FoundMessage } from "@switchyard/core/work/chat/request-schema"
import { openChat } from "@switchyard/core/work/chat/rules"
import type { AppDeps } from "../deps.ts"
import { CHAT_PATH, createChatSessions } from "../http/chat-session.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody } from "../http/routing.ts"
import { SessionId } from "../http/schemas.ts"

const tags = ["chat"]
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
    files_kept: z.boolean().describe("Whether the files stay as they are, because they were not asked for"),
  })
  .openapi("RewoundChat")
const Fork = Moment.openapi("ChatFork")
const Begun = { status: z.literal("started"), run_id: z.string().describe("The run that does it") }
const Rewinding = z.object({ ...Begun, to_seq: z.int() }).openapi("RewindingChat")
const Forking = z.object({ ...Begun, id: z.string().describe("The new session") }).openapi("ForkingSession")

export const routes = {
  sessions: createRoute({
    method: "get",
    path: `${CHAT_PATH}/sessions`,
    tags,
    summary: "List the conversations of a session",
    request: { params: SessionId, query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }) },
    responses: answers(ChatSessions, "The newest first"),
  }),
  search: createRoute({
    method: "get",
    path: `${CHAT_PATH}/search`,
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
    path: `${CHAT_PATH}/new`,
    tags,
    summary: "Begin a new conversation",
    request: { params: SessionId },
    responses: answers(ChatId, "The conversation", 201),
  }),
  load: createRoute({
    method: "post",
    path: `${CHAT_PATH}/load`,
    tags,
    summary: "Go on with an earlier conversation",
    request: { params: SessionId, body: jsonBody(ChatId) },
    responses: answers(ChatId, "The conversation"),
  }),
  rewind: createRoute({
    method: "post",
    path: `${CHAT_PATH}/rewind`,
    tags,
    summary: "Take the conversation, and the files with it, back to an earlier event",
    description:
      "What is undone stays in the log: rewind to the end of a branch to return to it. The files become a new version that is like the old one. In a repository they become as they were last read before that, in a commit: not while an agent works there. A run does that, with 202 as the answer: until it ends, `restoring` of the chat says so.",
    request: { params: SessionId, body: jsonBody(Rewind) },
    responses: {
      ...answers(Rewound, "The moment, and the version of the files now"),
      ...answers(Rewinding, "The files of a repository are being taken back", 202),
    },
  }),
  fork: createRoute({
    method: "post",
    path: `${CHAT_PATH}/fork`,
    tags,
    summary: "Open a new session with the conversation and the files of an event",
    description:
      "A session of a repository gets the commits that were saved nearest to the event, on a branch of its own, and the files as they were last read before it. A run copies all of it: until it ends, `restoring` of the new session's chat says so. Repeated requests with the same `Idempotency-Key` open one session, and all get that.",
    request: {
      params: SessionId,
      headers: z.object({ "idempotency-key": z.string().min(1).max(255).optional() }),
      body: jsonBody(Fork),
    },
    responses: answers(Forking, "The new session, which is being filled", 202),
  }),
}

/** The conversations of a session, back and forth. */
export function chatConversationRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const { find, open, decide } = createChatSessions(deps)

  const loadRewind = () => import("@switchyard/core/sessions/moments/chat-rewind")

  // Loaded with the first request that needs it, so that the API is small when it starts.
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
        throw new AppError("not_found", "There is no such conversation.", { session_id })
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
