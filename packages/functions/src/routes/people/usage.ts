import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { parseModelName } from "@switchyard/core/models/names"
import { defaultModel } from "@switchyard/core/models/resolve"
import { Owner, type Principal } from "@switchyard/core/people/access/schema"
import { ownersDefaultModel } from "@switchyard/core/people/accounts/model-keys"
import { BudgetChange, BudgetStatus, OwnerBudgets } from "@switchyard/core/people/budget/schema"
import { AccountUsage, BuildEstimate, UsageQuery, UsageReport } from "@switchyard/core/people/usage/schema"
import type { AppDeps } from "../../deps.ts"
import { modelKey, principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("usage")

const params = z.object({ name: z.string().max(200) })
const Named = z.object({
  owner: Owner.optional().describe("Another owner, for callers with the scope `admin`; by default, you"),
})
const UsageOf = UsageQuery.extend(Named.shape)

export const routes = {
  report: endpoint.get("/api/v1/usage", {
    summary: "Get your runs' usage",
    description:
      "Computed from your runs' events, and kept for 400 days, even after a session is deleted. An active run is counted every few minutes, and when it parks or ends.",
    request: { query: UsageOf },
    responses: answers(UsageReport, "Tokens and their cost, grouped as requested"),
  }),
  table: endpoint.get("/api/v1/usage.csv", {
    summary: "Get your usage as a CSV table",
    request: { query: UsageOf },
    responses: { 200: { description: "The table", content: { "text/csv": { schema: z.string() } } } },
  }),
  estimate: endpoint.get("/api/v1/usage/estimate", {
    summary: "Estimate the cost of a build",
    description: "Based on list prices and the tokens of your builds in the last 30 days, or of typical builds.",
    request: { query: z.object({ model: z.string().max(200).optional().describe("By default, the server's model") }) },
    responses: answers(BuildEstimate, "The estimate"),
  }),
  budget: endpoint.get("/api/v1/config/budget", {
    summary: "Get your budget, and how much of it is used",
    request: { query: Named },
    responses: answers(BudgetStatus, "Your budget"),
  }),
  setBudget: endpoint.put("/api/v1/config/budget", {
    summary: "Change your budget",
    description:
      "When the budget is used up, new runs are refused (`budget_reached`). Workflows and teams pause before their next model call, and continue once there is budget again. Omitted fields keep their value; null removes the limit.",
    request: { query: Named, body: jsonBody(BudgetChange) },
    responses: answers(BudgetStatus, "Your budget"),
  }),
  owners: endpoint.get("/api/v1/owners", {
    summary: "List all owners of tokens, with their budgets and how much of each is used",
    responses: answers(OwnerBudgets, "The owners, by name"),
  }),
  ofAccount: endpoint.get("/api/v1/accounts/{name}/usage", {
    summary: "Get how much of its limits an account has used",
    request: { params },
    responses: answers(AccountUsage, "The last reported limits, and the tokens used"),
  }),
}

// Load this module on demand, because no function needs it at startup.
const loadReport = () => import("@switchyard/core/people/usage/report")
const loadEstimate = () => import("@switchyard/core/people/usage/estimate")
const loadCsv = () => import("@switchyard/core/people/usage/csv")
const loadAccountUsage = () => import("@switchyard/core/people/usage/account-usage")

/**
 * Returns the owner whose usage is requested. Throws `forbidden` if a caller without the scope `admin` names another
 * owner.
 */
function ownerOf({ owner, scopes }: Principal, { owner: named = owner }: z.infer<typeof Named>): string {
  if (named === owner || scopes.includes("admin")) return named
  const message = "Only a token with the scope `admin` can see or limit what other owners use."
  throw new AppError("forbidden", message, { scope: "admin" })
}

/** Serves usage data of the caller's runs. Administrators can read all owners' data. */
export function usageRoutes(deps: AppDeps): OpenAPIHono {
  const { access, budgets } = deps
  const options = { signal: deps.stopping }

  async function ownersOf(by: Principal): Promise<string[]> {
    const tokens = await Array.fromAsync(access.tokens.list(by, options))
    return [...new Set([by.owner, ...tokens.map(({ owner }) => owner)])].sort()
  }

  return createRoutes()
    .openapi(routes.report, async (c) => {
      const { reportUsage } = await loadReport()
      const query = c.req.valid("query")
      return c.json(await reportUsage(deps, ownerOf(principal(c), query), query, options), 200)
    })
    .openapi(routes.table, async (c) => {
      const query = c.req.valid("query")
      const [{ reportUsage }, { usageCsv }] = await Promise.all([loadReport(), loadCsv()])
      const report = await reportUsage(deps, ownerOf(principal(c), query), query, options)
      const name = `usage-${report.from}-to-${report.to}.csv`
      const headers = {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="${name}"`,
      }
      return c.body(usageCsv(report, query.group_by), 200, headers)
    })
    .openapi(routes.estimate, async (c) => {
      const { owner } = principal(c)
      const { models } = deps.config
      const apiKey = modelKey(c)
      const usual = () =>
        apiKey ? defaultModel(models, apiKey) : ownersDefaultModel({ ...deps, models }, owner, options)
      const named = c.req.valid("query").model ?? (await usual())
      const { estimateBuild } = await loadEstimate()
      return c.json(await estimateBuild(deps, owner, parseModelName(named, "workflow"), options), 200)
    })
    .openapi(routes.budget, async (c) => {
      return c.json(await budgets.read(ownerOf(principal(c), c.req.valid("query")), options), 200)
    })
    .openapi(routes.setBudget, async (c) => {
      const owner = ownerOf(principal(c), c.req.valid("query"))
      return c.json(await budgets.change(owner, c.req.valid("json"), protectedOptions(c, deps)), 200)
    })
    .openapi(routes.owners, async (c) => {
      const names = await ownersOf(principal(c))
      const read = async (owner: string) => ({ owner, budget: await budgets.read(owner, options) })
      return c.json({ owners: await Promise.all(names.map(read)) }, 200)
    })
    .openapi(routes.ofAccount, async (c) => {
      const { owner } = principal(c)
      const account = await deps.accounts.get(owner, c.req.valid("param").name, options)
      const { accountUsage } = await loadAccountUsage()
      return c.json(await accountUsage(deps, owner, account, options), 200)
    })
}
