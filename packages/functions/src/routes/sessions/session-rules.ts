import type { OpenAPIHono } from "@hono/zod-openapi"
import { AllSessionRules } from "@switchyard/core/agents/permissions/repository-rules-schema"
import { SessionRules } from "@switchyard/core/agents/permissions/schema"
import { setSessionRules } from "@switchyard/core/agents/permissions/set-session-rules"
import { inLiveSession } from "@switchyard/core/kernel/rules"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("agents")
const path = "/api/v1/sessions/{id}/permissions"

export const routes = {
  get: endpoint.get(path, {
    summary: "Get the rules for all agents in a session",
    request: { params: SessionId },
    responses: answers(AllSessionRules, "The session's rules"),
  }),
  replace: endpoint.put(path, {
    summary: "Set the rules for all agents in a session",
    description:
      "They apply immediately, even to running turns, and are evaluated after your own rules and the repository's. If an agent makes a forbidden change without asking, it is reverted after the turn.",
    request: { params: SessionId, body: jsonBody(SessionRules) },
    responses: answers(SessionRules, "The session's rules"),
  }),
}

/** Serves a session's rules, which apply in addition to the owner's rules. */
export function sessionRuleRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  return createRoutes()
    .openapi(routes.get, async (c) => {
      const { state } = await deps.sessions.find(principal(c).owner, c.req.valid("param").id, options)
      const { sessionRules: rules, repositoryRules: repository } = state.questions
      return c.json({ rules, repository }, 200)
    })
    .openapi(routes.replace, async (c) => {
      const { owner } = principal(c)
      const { sessionId } = await deps.sessions.find(owner, c.req.valid("param").id, options)
      const { session } = await deps.sessions.touch(owner, sessionId, options)
      const { rules } = c.req.valid("json")
      await session.decide(inLiveSession(setSessionRules(rules, protectedOptions(c, deps))), options)
      return c.json({ rules: session.state.questions.sessionRules }, 200)
    })
}
