import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { listProviders } from "@switchyard/core/people/accounts/providers"
import { Account, ModelChoice, NewAccount, Provider, ReasoningChoice } from "@switchyard/core/people/accounts/schema"
import type { AppDeps } from "../deps.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody } from "../http/routing.ts"

const tags = ["accounts"]
const Providers = z.object({ providers: z.array(Provider) }).openapi("Providers")
const AccountList = z.object({ accounts: z.array(Account), total: z.int() }).openapi("Accounts")
const Removed = z
  .object({ account_name: z.string(), deleted: z.literal(true), message: z.string() })
  .openapi("DeletedAccount")
/** Any text: one that can't be a name is one that no account has. */
const params = z.object({ name: z.string().max(200) })

export const routes = {
  providers: createRoute({
    method: "get",
    path: "/api/v1/providers",
    tags,
    summary: "List the available agents",
    responses: answers(Providers, "All agents that an account can be for"),
  }),
  list: createRoute({
    method: "get",
    path: "/api/v1/accounts",
    tags,
    summary: "List your accounts",
    responses: answers(AccountList, "All accounts, without their keys"),
  }),
  create: createRoute({
    method: "post",
    path: "/api/v1/accounts",
    tags,
    summary: "Add an account with its key",
    request: { body: jsonBody(NewAccount) },
    responses: answers(Account, "The account, without its key", 201),
  }),
  get: createRoute({
    method: "get",
    path: "/api/v1/accounts/{name}",
    tags,
    summary: "Get an account",
    request: { params },
    responses: answers(Account, "The account, without its key"),
  }),
  setModel: createRoute({
    method: "put",
    path: "/api/v1/accounts/{name}/model",
    tags,
    summary: "Choose the model of an account, for its next tasks",
    request: { params, body: jsonBody(ModelChoice) },
    responses: answers(Account, "The account, without its key"),
  }),
  setReasoning: createRoute({
    method: "put",
    path: "/api/v1/accounts/{name}/reasoning",
    tags,
    summary: "Choose how hard the agent of an account thinks, in its next tasks",
    request: { params, body: jsonBody(ReasoningChoice) },
    responses: answers(Account, "The account, without its key"),
  }),
  remove: createRoute({
    method: "delete",
    path: "/api/v1/accounts/{name}",
    tags,
    summary: "Delete an account and its key",
    request: { params },
    responses: answers(Removed, "Deleted"),
  }),
}

/** Whom agents work for. */
export function accountRoutes({ accounts, config, hosts, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  return createRoutes()
    .openapi(routes.providers, (c) =>
      c.json({ providers: listProviders({ withMock: !config.production, keys: config.agentKeys }) }, 200),
    )
    .openapi(routes.list, async (c) => {
      const all = await accounts.list(principal(c).owner, options)
      return c.json({ accounts: all, total: all.length }, 200)
    })
    .openapi(routes.create, async (c) => {
      const account = c.req.valid("json")
      if (account.base_url && !hosts.allowsAny) await hosts.check(new URL(account.base_url).hostname, options)
      return c.json(await accounts.create(principal(c).owner, account, options), 201)
    })
    .openapi(routes.get, async (c) => {
      return c.json(await accounts.get(principal(c).owner, c.req.valid("param").name, options), 200)
    })
    .openapi(routes.setModel, async (c) => {
      const model = chosen(c.req.valid("json").model)
      return c.json(await accounts.change(principal(c).owner, c.req.valid("param").name, { model }, options), 200)
    })
    .openapi(routes.setReasoning, async (c) => {
      const reasoning = chosen(c.req.valid("json").reasoning)
      return c.json(await accounts.change(principal(c).owner, c.req.valid("param").name, { reasoning }, options), 200)
    })
    .openapi(routes.remove, async (c) => {
      const { name } = c.req.valid("param")
      await accounts.remove(principal(c).owner, name, options)
      return c.json(
        { account_name: name, deleted: true as const, message: "The account and its key were deleted." },
        200,
      )
    })
}

/** Null for the agent's own choice, which other servers call `default`. */
function chosen(named: string | null): string | null {
  return named === "default" ? null : named
}
