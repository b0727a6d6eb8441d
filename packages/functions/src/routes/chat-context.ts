import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { defaultModel } from "@switchyard/core/models/resolve"
import { ChatContext } from "@switchyard/core/work/chat/context-schema"
import { ChatForecast, ChatInstructions, NewChatTurn } from "@switchyard/core/work/chat/request-schema"
import { forgetPage, rebuildContext, setSystemExtra } from "@switchyard/core/work/chat/rules"
import { ChatPage, ChatTotals } from "@switchyard/core/work/chat/schema"
import type { AppDeps } from "../deps.ts"
import { CHAT_PATH, createChatSessions } from "../http/chat-session.ts"
import { modelKey, principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody } from "../http/routing.ts"
import { RunHeaders, SessionId } from "../http/schemas.ts"

const tags = ["chat"]
const Rebuilt = z.object({ status: z.literal("rebuilt") }).openapi("RebuiltChatContext")
const NewPage = NewChatTurn.pick({ model: true, api_key: true })
  .extend({ url: z.url().max(2000) })
  .openapi("NewChatPage")
const ShownPage = ChatPage.pick({ url: true, title: true, summary: true }).openapi("ShownChatPage")
const AddedPage = ChatPage.pick({ url: true, title: true, text: true })
  .extend({
    summary: z
      .string()
      .nullable()
      .describe("What the model is shown in place of a long text; null where there is none"),
    notice: z.string().nullable().describe("Why a long page has no summary; null for any other"),
  })
  .openapi("AddedChatPage")
const ForgottenPage = z.object({ url: z.string() }).openapi("ForgottenChatPage")
const ContextView = z
  .object({
    context: ChatContext.nullable().describe("Null before the first turn"),
    pages: z.array(ShownPage).describe("Those that the next turn shows"),
    session_totals: ChatTotals,
  })
  .openapi("ChatContextView")

export const routes = {
  context: createRoute({
    method: "get",
    path: `${CHAT_PATH}/context`,
    tags,
    summary: "Get what the model was shown in the newest turn, by how stable it is",
    request: { params: SessionId },
    responses: answers(ContextView, "The tiers with their items, what moved between them, and the session's totals"),
  }),
  rebuild: createRoute({
    method: "post",
    path: `${CHAT_PATH}/context/rebuild`,
    tags,
    summary: "Have the next turn deal the context out anew, as the first one did",
    description: "The conversation stays. The provider's cache has to be written anew.",
    request: { params: SessionId },
    responses: answers(Rebuilt, "It will"),
  }),
  setSystemExtra: createRoute({
    method: "put",
    path: `${CHAT_PATH}/system_extra`,
    tags,
    summary: "Set what the model is told beside the product's own instructions, from the next turn on",
    description:
      "In this session, in place of the owner's preference `system_extra`. The provider's cache is written anew.",
    request: { params: SessionId, body: jsonBody(ChatInstructions) },
    responses: answers(ChatInstructions, "The session's own; null where the owner's counts"),
  }),
  addPage: createRoute({
    method: "post",
    path: `${CHAT_PATH}/urls`,
    tags,
    summary: "Read a page for the model, and show it from the next message on",
    description:
      "Only pages of public hosts, of up to 5 MB of text. The newest five of a conversation are shown, each up to 4,000 characters: a longer one is summarised by the provider's small model, in a run of its own that counts against the budgets. The answer comes with its end, and after a minute at the latest. Where no summary could be made the page is added all the same, and `notice` says why.",
    request: { params: SessionId, headers: RunHeaders, body: jsonBody(NewPage) },
    responses: answers(AddedPage, "The page as it was read", 201),
  }),
  forgetPage: createRoute({
    method: "delete",
    path: `${CHAT_PATH}/urls`,
    tags,
    summary: "Show the model a page no longer",
    request: { params: SessionId, query: z.object({ url: z.string().max(2000) }) },
    responses: answers(ForgottenPage, "It isn't shown any more"),
  }),
  forecast: createRoute({
    method: "get",
    path: `${CHAT_PATH}/forecast`,
    tags,
    summary: "Predict what the next turn reads from the provider's cache, and what it writes anew",
    description:
      "Estimated from what the newest turn showed, the files and the selection as they are now. No model is asked.",
    request: { params: SessionId, query: z.object({ model: z.string().max(200).optional() }) },
    responses: answers(ChatForecast, "The tokens, and why"),
  }),
}

/** The context that the model is shown, and the cost of the next one. */
export function chatContextRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const models = deps.config.models
  const { find, open, decide } = createChatSessions(deps)

  // Loaded with the first request that needs them, so that the API is small when it starts.
  const loadPages = () => import("@switchyard/core/work/chat/pages/added-pages")

  const loadView = () => import("@switchyard/core/work/chat/history/read-chat")
  return createRoutes()
    .openapi(routes.context, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const { readContext } = await loadView()
      const context = await readContext(deps, session, options)
      const { readShownPages } = await loadPages()
      const pages = await readShownPages(deps, session, options)
      return c.json({ context, pages, session_totals: session.state.chat.totals }, 200)
    })
    .openapi(routes.rebuild, async (c) => {
      await decide(c, c.req.valid("param").id, rebuildContext())
      return c.json({ status: "rebuilt" as const }, 200)
    })
    .openapi(routes.setSystemExtra, async (c) => {
      const { system_extra } = c.req.valid("json")
      await decide(c, c.req.valid("param").id, setSystemExtra(system_extra))
      return c.json({ system_extra }, 200)
    })
    .openapi(routes.addPage, async (c) => {
      const { session, handle } = await open(c, c.req.valid("param").id)
      const { api_key, ...request } = c.req.valid("json")
      const { createPublicFetch } = await loadPages()
      const { addPageWithSummary } = await import("@switchyard/core/sessions/requests/page-request")
      const about = { owner: principal(c).owner, sessionId: handle.sessionId, session }
      const caller = { ...about, apiKey: modelKey(c, api_key) }
      const fetchPage = deps.fetchPage ?? createPublicFetch()
      return c.json(await addPageWithSummary({ ...deps, models, fetchPage }, caller, request, options), 201)
    })
    .openapi(routes.forgetPage, async (c) => {
      const { url } = c.req.valid("query")
      await decide(c, c.req.valid("param").id, forgetPage(url))
      return c.json({ url }, 200)
    })
    .openapi(routes.forecast, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      // Loaded when it is first asked for: the arithmetic of tiers is a worker's.
      const { forecastTurn } = await import("@switchyard/core/work/chat/turn/forecast-turn")
      const model = c.req.valid("query").model ?? defaultModel(models)
      return c.json(await forecastTurn(deps, session, { model, ...options }), 200)
    })
}
