import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { WorkBudgetChange, WorkBudgetStatus } from "@switchyard/core/people/budget/schema"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("usage")
const RunId = z.object({ id: z.string().max(100) })
const description =
  "When the budget is used up, workflows and teams park before their next model call and ask a person. Changing the budget answers that question. Omitted fields keep their value; null removes the limit."

export const routes = {
  ofSession: endpoint.get("/api/v1/sessions/{id}/budget", {
    summary: "Get a session's budget, and how much of it is used",
    request: { params: SessionId },
    responses: answers(WorkBudgetStatus, "The budget"),
  }),
  setOfSession: endpoint.put("/api/v1/sessions/{id}/budget", {
    summary: "Change a session's budget",
    description,
    request: { params: SessionId, body: jsonBody(WorkBudgetChange) },
    responses: answers(WorkBudgetStatus, "The budget"),
  }),
  ofRun: endpoint.get("/v1/runs/{id}/budget", {
    summary: "Get a run's budget, and how much of it is used",
    request: { params: RunId },
    responses: answers(WorkBudgetStatus, "The budget. A run that has ended has none"),
  }),
  setOfRun: endpoint.put("/v1/runs/{id}/budget", {
    summary: "Change a run's budget",
    description,
    request: { params: RunId, body: jsonBody(WorkBudgetChange) },
    responses: answers(WorkBudgetStatus, "The budget"),
  }),
}

/** Serves the budgets of sessions and runs. */
export function workBudgetRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  return createRoutes()
    .openapi(routes.ofSession, async (c) => {
      const { state } = await deps.sessions.find(principal(c).owner, c.req.valid("param").id, options)
      return c.json(await deps.budgets.readWork(state), 200)
    })
    .openapi(routes.setOfSession, async (c) => {
      const { sid } = await deps.sessions.find(principal(c).owner, c.req.valid("param").id, options)
      return c.json(await deps.budgets.changeWork({ sid }, c.req.valid("json"), protectedOptions(c, deps)), 200)
    })
    .openapi(routes.ofRun, async (c) => {
      const { ref } = await deps.runs.get(principal(c).owner, c.req.valid("param").id, options)
      const { state } = await openSessionLog(deps, ref.sid, options)
      return c.json(await deps.budgets.readWork(state, ref.run_id), 200)
    })
    .openapi(routes.setOfRun, async (c) => {
      const { ref } = await deps.runs.get(principal(c).owner, c.req.valid("param").id, options)
      const subject = { sid: ref.sid, runId: ref.run_id }
      return c.json(await deps.budgets.changeWork(subject, c.req.valid("json"), protectedOptions(c, deps)), 200)
    })
}
