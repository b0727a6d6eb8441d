import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { defaultModel } from "@switchyard/core/models/resolve"
import { ChatContext } from "@switchyard/core/work/chat/context-schema"
import { ChatForecast, ChatInstructions, NewChatTurn } from "@switchyard/core/work/chat/request-schema"
import { forgetPage, rebuildContext, setSystemExtra } from "@switchyard/core/work/chat/rules"
import { ChatPage, ChatTotals } from "@switchyard/core/work/chat/schema"
import type { AppDeps } from "../../deps.ts"
import { CHAT_PATH, createChatSessions } from "../../http/chat-session.ts"
import { modelKey, principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { RunHeaders, SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("chat")
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
      .describe("Summary that the model reads instead of the full text; null if the page is short or `notice` is set"),
    notice: z.string().nullable().describe("Why a long page has no summary; null otherwise"),
  })
  .openapi("AddedChatPage")
const ForgottenPage = z.object({ url: z.string() }).openapi("ForgottenChatPage")
const ContextView = z
  .object({
    context: ChatContext.nullable().describe("Null before the first turn"),
    pages: z.array(ShownPage).describe("Pages that the next turn includes"),
    session_totals: ChatTotals,
  })
  .openapi("ChatContextView")

export const routes = {
  context: endpoint.get(`${CHAT_PATH}/context`, {
    summary: "Get the latest turn's context, grouped by how stable it is",
    request: { params: SessionId },
    responses: answers(ContextView, "The tiers and their items, moves between tiers, and the session's totals"),
  }),
  rebuild: endpoint.post(`${CHAT_PATH}/context/rebuild`, {
    summary: "Rebuild the context for the next turn from scratch",
    description: "Keeps the conversation. Resets the provider's prompt cache.",
    request: { params: SessionId },
    responses: answers(Rebuilt, "The next turn rebuilds the context"),
  }),
  setSystemExtra: endpoint.put(`${CHAT_PATH}/system_extra`, {
    summary: "Set additional instructions for the model, starting with the next turn",
    description:
      "Applies to this session and overrides the owner's preference `system_extra`. Resets the provider's prompt cache.",
    request: { params: SessionId, body: jsonBody(ChatInstructions) },
    responses: answers(ChatInstructions, "The session's own instructions; null if it uses the owner's"),
  }),
  addPage: endpoint.post(`${CHAT_PATH}/urls`, {
    summary: "Add a web page to the context, starting with the next message",
    description:
      "The page must be on a public host and have at most 5 MB of text. A conversation includes its latest five pages, up to 4,000 characters of each. The provider's small model summarises longer pages in a separate run, which counts towards the budgets. The response waits up to a minute for the summary. Without a summary, the page is added anyway, and `notice` contains the reason.",
    request: { params: SessionId, headers: RunHeaders, body: jsonBody(NewPage) },
    responses: answers(AddedPage, "The page as read", 201),
  }),
  forgetPage: endpoint.delete(`${CHAT_PATH}/urls`, {
    summary: "Remove a web page from the context",
    request: { params: SessionId, query: z.object({ url: z.string().max(2000) }) },
    responses: answers(ForgottenPage, "The page was removed"),
  }),
  forecast: endpoint.get(`${CHAT_PATH}/forecast`, {
    summary: "Predict how many tokens the next turn will read from and write to the provider's cache",
    description: "Estimated from the latest turn, the current files and the selection, without calling a model.",
    request: { params: SessionId, query: z.object({ model: z.string().max(200).optional() }) },
    responses: answers(ChatForecast, "The tokens, with reasons"),
  }),
}

/** Serves the context that is sent to the model, and forecasts how much of it the next turn reads from the cache. */
export function chatContextRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const models = deps.config.models
  const { find, open, decide } = createChatSessions(deps)

  // Load this module on demand, so that the API starts faster.
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
      // Load this module on demand, because it is large and usually only workers need it.
      const { forecastTurn } = await import("@switchyard/core/work/chat/turn/forecast-turn")
      const model = c.req.valid("query").model ?? defaultModel(models)
      return c.json(await forecastTurn(deps, session, { model, ...options }), 200)
    })
}
