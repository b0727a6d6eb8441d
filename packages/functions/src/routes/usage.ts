import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { BudgetChange, BudgetStatus } from "@switchyard/core/people/budget/schema"
import { AccountUsage, UsageQuery, UsageReport } from "@switchyard/core/people/usage/schema"
import type { AppDeps } from "../deps.ts"
import { asCaller, principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody } from "../http/routing.ts"

const params = z.object({ name: z.string().max(200) })

export const routes = {
  report: createRoute({
    method: "get",
    path: "/api/v1/usage",
    tags: ["usage"],
    summary: "Get what your runs used",
    description:
      "Counted from the events of your runs, and kept for 400 days, also after a session is gone. A run that is under way is counted when it parks or ends, and every few minutes.",
    request: { query: UsageQuery },
    responses: answers(UsageReport, "Tokens and their cost, put together as asked"),
  }),
  table: createRoute({
    method: "get",
    path: "/api/v1/usage.csv",
    tags: ["usage"],
    summary: "Get the same as a table",
    request: { query: UsageQuery },
    responses: { 200: { description: "The table", content: { "text/csv": { schema: z.string() } } } },
  }),
  budget: createRoute({
    method: "get",
    path: "/api/v1/config/budget",
    tags: ["usage"],
    summary: "Get your budget, and how much of it is used",
    responses: answers(BudgetStatus, "Your budget"),
  }),
  setBudget: createRoute({
    method: "put",
    path: "/api/v1/config/budget",
    tags: ["usage"],
    summary: "Change your budget",
    description:
      "Where it is used up, nothing begins (`budget_reached`), and workflows and teams wait before the next call of a model; they go on as soon as there is room again. What isn't named stays; null is no limit.",
    request: { body: jsonBody(BudgetChange) },
    responses: answers(BudgetStatus, "Your budget"),
  }),
  ofAccount: createRoute({
    method: "get",
    path: "/api/v1/accounts/{name}/usage",
    tags: ["usage"],
    summary: "Get what an account has used of its limits",
    request: { params },
    responses: answers(AccountUsage, "Its limits, as last reported, and its tokens"),
  }),
}

// Loaded when they are first asked for: a function that starts needs none of them.
const loadReport = () => import("@switchyard/core/people/usage/report")
const loadCsv = () => import("@switchyard/core/people/usage/csv")
const loadAccountUsage = () => import("@switchyard/core/people/usage/account-usage")

/** The usage of the caller's runs. */
export function usageRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  return createRoutes()
    .openapi(routes.report, async (c) => {
      const { reportUsage } = await loadReport()
      return c.json(await reportUsage(deps, principal(c).owner, c.req.valid("query"), options), 200)
    })
    .openapi(routes.table, async (c) => {
      const query = c.req.valid("query")
      const [{ reportUsage }, { usageCsv }] = await Promise.all([loadReport(), loadCsv()])
      const report = await reportUsage(deps, principal(c).owner, query, options)
      const name = `usage-${report.from}-to-${report.to}.csv`
      const headers = {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="${name}"`,
      }
      return c.body(usageCsv(report, query.group_by), 200, headers)
    })
    .openapi(routes.budget, async (c) => c.json(await deps.budgets.read(principal(c).owner, options), 200))
    .openapi(routes.setBudget, async (c) => {
      return c.json(await deps.budgets.change(principal(c).owner, c.req.valid("json"), asCaller(c, deps)), 200)
    })
    .openapi(routes.ofAccount, async (c) => {
      const { owner } = principal(c)
      const account = await deps.accounts.get(owner, c.req.valid("param").name, options)
      const { accountUsage } = await loadAccountUsage()
      return c.json(await accountUsage(deps, owner, account, options), 200)
    })
}
