import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { defaultModel } from "@switchyard/core/models/resolve"
import { ChatContext } from "@switchyard/core/work/chat/context-schema"
import { readContext } from "@switchyard/core/work/chat/read-chat"
import { ChatForecast } from "@switchyard/core/work/chat/request-schema"
import { ChatTotals } from "@switchyard/core/work/chat/schema"
import type { AppDeps } from "../deps.ts"
import { CHAT_PATH, createChatSessions } from "../http/chat-session.ts"
import { answers, createRoutes } from "../http/routing.ts"
import { SessionId } from "../http/schemas.ts"

const tags = ["chat"]
const ContextView = z
  .object({ context: ChatContext.nullable().describe("Null before the first turn"), session_totals: ChatTotals })
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
  const { find } = createChatSessions(deps)

  return createRoutes()
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
}
