import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { accountModels } from "@switchyard/core/people/accounts/account-models"
import { listProviders } from "@switchyard/core/people/accounts/providers"
import { dismissReviewer, isReviewer, removeAccount } from "@switchyard/core/people/accounts/remove-account"
import {
  type Account,
  AccountView,
  KeyChange,
  LoginChange,
  ModelChoice,
  NewAccount,
  NewLoginTerminal,
  Provider,
  ReasoningChoice,
  RoleChoice,
} from "@switchyard/core/people/accounts/schema"
import { parseLogin } from "@switchyard/core/sessions/requests/login-request"
import { startRun } from "@switchyard/core/sessions/requests/start-run"
import { describeRun } from "@switchyard/core/sessions/run-view"
import { Run } from "@switchyard/core/work/runs/schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("accounts")
const Providers = z.object({ providers: z.array(Provider) }).openapi("Providers")
const AccountList = z.object({ accounts: z.array(AccountView), total: z.int() }).openapi("Accounts")
const Removed = z
  .object({ account_name: z.string(), deleted: z.literal(true), message: z.string() })
  .openapi("DeletedAccount")
const AccountModels = z
  .object({
    account_name: z.string(),
    provider: AccountView.shape.provider,
    models: z
      .array(z.string())
      .describe("Model names that the agent accepts. The last one is `default`, the agent's own choice"),
    complete: z.boolean().describe("False if the provider couldn't be asked. The list then contains only known models"),
  })
  .openapi("AccountModels")
/** Accepts any text. Text that isn't a valid name simply matches no account. */
const params = z.object({ name: z.string().max(200) })

export const routes = {
  providers: endpoint.get("/api/v1/providers", {
    summary: "List the available agents",
    responses: answers(Providers, "All agents that accounts can use"),
  }),
  list: endpoint.get("/api/v1/accounts", {
    summary: "List your accounts",
    responses: answers(AccountList, "All accounts, without their keys"),
  }),
  create: endpoint.post("/api/v1/accounts", {
    summary: "Add an account with its key, or with its agent's own login",
    request: { body: jsonBody(NewAccount) },
    responses: answers(AccountView, "The account, without its key", 201),
  }),
  get: endpoint.get("/api/v1/accounts/{name}", {
    summary: "Get an account",
    request: { params },
    responses: answers(AccountView, "The account, without its key"),
  }),
  setModel: endpoint.put("/api/v1/accounts/{name}/model", {
    summary: "Choose the model that an account uses for later tasks",
    request: { params, body: jsonBody(ModelChoice) },
    responses: answers(AccountView, "The account, without its key"),
  }),
  setKey: endpoint.put("/api/v1/accounts/{name}/key", {
    summary: "Replace an account's key, for later launches",
    description: "Running work continues with the old key. Revoke the old key once that work is done.",
    request: { params, body: jsonBody(KeyChange) },
    responses: answers(AccountView, "The account, without its key"),
  }),
  setLogin: endpoint.put("/api/v1/accounts/{name}/login", {
    summary: "Replace an account's key with its agent's own login, for later launches",
    description:
      "Takes the login's files, as listed by `GET /api/v1/providers`, and consent to the provider's notice given there. Running work continues with the old login. Logins are accepted only by a server on its user's own machine.",
    request: { params, body: jsonBody(LoginChange) },
    responses: answers(AccountView, "The account, without its login"),
  }),
  logIn: endpoint.post("/api/v1/accounts/{name}/login", {
    summary: "Log in using an agent's own program in a terminal, for a new or existing account",
    description:
      "Returns a run in a new session. Its terminal runs only the agent's login, in an empty home folder, for at most 15 minutes. If the login succeeds, it is stored in the account. In any case, the home folder is removed, and the session is deleted with its terminal output. Deleting the session cancels the login.",
    request: { params: NewAccount.pick({ name: true }), body: jsonBody(NewLoginTerminal) },
    responses: answers(Run, "The run", 201),
  }),
  setReasoning: endpoint.put("/api/v1/accounts/{name}/reasoning", {
    summary: "Choose the reasoning effort that an account's agent uses for later tasks",
    request: { params, body: jsonBody(ReasoningChoice) },
    responses: answers(AccountView, "The account, without its key"),
  }),
  setRole: endpoint.put("/api/v1/accounts/{name}/role", {
    summary: "Choose whether an account's agent reviews other agents' work",
    description:
      "A view of `/api/v1/config/verification-agent`. At most one account has this role. Every account can code.",
    request: { params, body: jsonBody(RoleChoice) },
    responses: answers(AccountView, "The account, without its key"),
  }),
  models: endpoint.get("/api/v1/accounts/{name}/models", {
    summary: "List the models available to an account's agent, as last reported by its provider",
    request: { params },
    responses: answers(AccountModels, "The models"),
  }),
  remove: endpoint.delete("/api/v1/accounts/{name}", {
    summary: "Delete an account with its key or login",
    request: { params },
    responses: answers(Removed, "Deleted"),
  }),
}

/** Serves agents' accounts. */
export function accountRoutes(deps: AppDeps): OpenAPIHono {
  const { accounts, agents, settings, catalog, config, hosts, stopping } = deps
  const options = { signal: stopping }
  const reviewer = async (owner: string) => (await settings.verification.read(owner, options)).account_name
  const view = async (owner: string, account: Account) => toView(account, await reviewer(owner))
  const change = async (c: Context, name: string, to: Parameters<typeof accounts.change>[2]) => {
    const { owner } = principal(c)
    return view(owner, await accounts.change(owner, name, to, options))
  }
  const withLogins = agents !== undefined
  const programs = { keys: config.agentKeys, added: config.addedAgents }
  return createRoutes()
    .openapi(routes.providers, (c) =>
      c.json({ providers: listProviders({ withMock: !config.production, withLogins, ...programs }) }, 200),
    )
    .openapi(routes.list, async (c) => {
      const { owner } = principal(c)
      const [all, named] = await Promise.all([accounts.list(owner, options), reviewer(owner)])
      return c.json({ accounts: all.map((account) => toView(account, named)), total: all.length }, 200)
    })
    .openapi(routes.create, async (c) => {
      const account = c.req.valid("json")
      const { owner } = principal(c)
      if (account.login) requireLogins()
      if (account.base_url) await hosts.check(new URL(account.base_url).hostname, options)
      return c.json(await view(owner, await accounts.create(owner, account, options)), 201)
    })
    .openapi(routes.get, async (c) => {
      const { owner } = principal(c)
      return c.json(await view(owner, await accounts.get(owner, c.req.valid("param").name, options)), 200)
    })
    .openapi(routes.setModel, async (c) => {
      const model = chosen(c.req.valid("json").model)
      return c.json(await change(c, c.req.valid("param").name, { model }), 200)
    })
    .openapi(routes.setKey, async (c) => {
      const { owner } = principal(c)
      const { api_key } = c.req.valid("json")
      const account = await accounts.changeKey(owner, c.req.valid("param").name, api_key, options)
      return c.json(await view(owner, account), 200)
    })
    .openapi(routes.setLogin, async (c) => {
      const { owner } = principal(c)
      requireLogins()
      const account = await accounts.changeLogin(owner, c.req.valid("param").name, c.req.valid("json"), options)
      return c.json(await view(owner, account), 200)
    })
    .openapi(routes.logIn, async (c) => {
      const { owner } = principal(c)
      const { name: account } = c.req.valid("param")
      const run = await parseLogin(deps, { owner, account, login: c.req.valid("json") }, options)
      const { runId } = await startRun(deps, run, options)
      return c.json(await describeRun(deps, await deps.runs.get(owner, runId, options), options), 201)
    })
    .openapi(routes.setReasoning, async (c) => {
      const reasoning = chosen(c.req.valid("json").reasoning)
      return c.json(await change(c, c.req.valid("param").name, { reasoning }), 200)
    })
    .openapi(routes.setRole, async (c) => {
      const { owner } = principal(c)
      const account = await accounts.get(owner, c.req.valid("param").name, options)
      const { role } = c.req.valid("json")
      const caller = protectedOptions(c, deps)
      if (role === "VERIFICATION") await settings.verification.change(owner, { account_name: account.name }, caller)
      else await dismissReviewer(deps, owner, account.name, caller)
      return c.json(await view(owner, account), 200)
    })
    .openapi(routes.models, async (c) => {
      const { name } = c.req.valid("param")
      const found = await accounts.credentials(principal(c).owner, name, options)
      if (!found) throw new AppError("account_not_found", "There is no account with this name.")
      // If the account names its own server, contact that server only if every host is allowed.
      const listed = await accountModels({ catalog, mayAsk: () => hosts.allowsAny }, found, options)
      return c.json({ account_name: name, provider: found.provider, ...listed }, 200)
    })
    .openapi(routes.remove, async (c) => {
      const { name } = c.req.valid("param")
      const { owner } = principal(c)
      await removeAccount(deps, owner, name, protectedOptions(c, deps))
      return c.json(
        { account_name: name, deleted: true as const, message: "The account and its key or login were deleted." },
        200,
      )
    })

  function requireLogins(): void {
    if (withLogins) return
    throw new AppError(
      "validation_error",
      "Agents are disabled on this server, so it doesn't accept agents' logins. Use an API key.",
    )
  }
}

function toView(account: Account, reviewer: string | null): AccountView {
  return { ...account, role: isReviewer(account.name, reviewer) ? "VERIFICATION" : "CODING" }
}

/** Returns null for `default`, which means the agent's own choice in the API of other servers. */
function chosen(named: string | null): string | null {
  return named === "default" ? null : named
}
