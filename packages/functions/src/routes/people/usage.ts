import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { BudgetChange, BudgetStatus } from "@switchyard/core/people/budget/schema"
import { AccountUsage, UsageQuery, UsageReport } from "@switchyard/core/people/usage/schema"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("usage")

const params = z.object({ name: z.string().max(200) })

export const routes = {
  report: endpoint.get("/api/v1/usage", {
    summary: "Get your runs' usage",
    description:
      "Computed from your runs' events, and kept for 400 days, even after a session is deleted. An active run is counted every few minutes, and when it parks or ends.",
    request: { query: UsageQuery },
    responses: answers(UsageReport, "Tokens and their cost, grouped as requested"),
  }),
  table: endpoint.get("/api/v1/usage.csv", {
    summary: "Get your usage as a CSV table",
    request: { query: UsageQuery },
    responses: { 200: { description: "The table", content: { "text/csv": { schema: z.string() } } } },
  }),
  budget: endpoint.get("/api/v1/config/budget", {
    summary: "Get your budget, and how much of it is used",
    responses: answers(BudgetStatus, "Your budget"),
  }),
  setBudget: endpoint.put("/api/v1/config/budget", {
    summary: "Change your budget",
    description:
      "When the budget is used up, new runs are refused (`budget_reached`). Workflows and teams pause before their next model call, and continue once there is budget again. Omitted fields keep their value; null removes the limit.",
    request: { body: jsonBody(BudgetChange) },
    responses: answers(BudgetStatus, "Your budget"),
  }),
  ofAccount: endpoint.get("/api/v1/accounts/{name}/usage", {
    summary: "Get how much of its limits an account has used",
    request: { params },
    responses: answers(AccountUsage, "The last reported limits, and the tokens used"),
  }),
}

// Loaded on demand, because no function needs them at startup.
const loadReport = () => import("@switchyard/core/people/usage/report")
const loadCsv = () => import("@switchyard/core/people/usage/csv")
const loadAccountUsage = () => import("@switchyard/core/people/usage/account-usage")

/** Serves usage data for the caller's runs. */
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
      return c.json(await deps.budgets.change(principal(c).owner, c.req.valid("json"), protectedOptions(c, deps)), 200)
    })
    .openapi(routes.ofAccount, async (c) => {
      const { owner } = principal(c)
      const account = await deps.accounts.get(owner, c.req.valid("param").name, options)
      const { accountUsage } = await loadAccountUsage()
      return c.json(await accountUsage(deps, owner, account, options), 200)
    })
}
