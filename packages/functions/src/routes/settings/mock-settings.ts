import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { MockSettings } from "@switchyard/core/agents/clis/mock-settings"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("settings")
const path = <N extends string>(name: N) => `/api/v1/config/${name}` as const
const ofAccount = <N extends string>(name: N) => `${path(name)}/{account}` as const

const params = z.object({ account: z.string().max(100) })
const account_name = z.string().max(100)
const { remaining_usage, remaining_context, run_seconds } = MockSettings.shape
const RemainingUsage = z.strictObject({ account_name, remaining: remaining_usage }).openapi("MockRemainingUsage")
const RemainingContext = z.strictObject({ account_name, remaining: remaining_context }).openapi("MockRemainingContext")
const RunDuration = z.strictObject({ account_name, seconds: run_seconds }).openapi("MockRunDuration")

const ABOUT = "Applies to later launches. Null turns the simulation off."

export const routes = {
  usage: endpoint.get(ofAccount("mock-remaining-usage"), {
    summary: "Get the remaining usage that a mock agent's account reports",
    request: { params },
    responses: answers(RemainingUsage, "The share"),
  }),
  setUsage: endpoint.put(path("mock-remaining-usage"), {
    summary: "Set the remaining usage that a mock agent's account reports",
    description: ABOUT,
    request: { body: jsonBody(RemainingUsage) },
    responses: answers(RemainingUsage, "The share"),
  }),
  context: endpoint.get(ofAccount("mock-context-remaining"), {
    summary: "Get the remaining context that a mock agent reports",
    request: { params },
    responses: answers(RemainingContext, "The share"),
  }),
  setContext: endpoint.put(path("mock-context-remaining"), {
    summary: "Set the remaining context that a mock agent reports",
    description: ABOUT,
    request: { body: jsonBody(RemainingContext) },
    responses: answers(RemainingContext, "The share"),
  }),
  duration: endpoint.get(ofAccount("mock-run-duration"), {
    summary: "Get how long a mock agent's turns take",
    request: { params },
    responses: answers(RunDuration, "The seconds"),
  }),
  setDuration: endpoint.put(path("mock-run-duration"), {
    summary: "Set how long a mock agent's turns take",
    description: ABOUT,
    request: { body: jsonBody(RunDuration) },
    responses: answers(RunDuration, "The seconds"),
  }),
}

/** Serves the settings of mock agents, which people can use to try out limits. */
export function mockSettingsRoutes({ accounts, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  const read = (c: Context, account: string) => accounts.mockSettings(principal(c).owner, account, options)
  const change = (c: Context, account: string, to: Partial<MockSettings>) =>
    accounts.changeMock(principal(c).owner, account, to, options)

  return createRoutes()
    .openapi(routes.usage, async (c) => {
      const { account } = c.req.valid("param")
      return c.json({ account_name: account, remaining: (await read(c, account)).remaining_usage }, 200)
    })
    .openapi(routes.setUsage, async (c) => {
      const { account_name: account, remaining } = c.req.valid("json")
      const { remaining_usage: now } = await change(c, account, { remaining_usage: remaining })
      return c.json({ account_name: account, remaining: now }, 200)
    })
    .openapi(routes.context, async (c) => {
      const { account } = c.req.valid("param")
      return c.json({ account_name: account, remaining: (await read(c, account)).remaining_context }, 200)
    })
    .openapi(routes.setContext, async (c) => {
      const { account_name: account, remaining } = c.req.valid("json")
      const { remaining_context: now } = await change(c, account, { remaining_context: remaining })
      return c.json({ account_name: account, remaining: now }, 200)
    })
    .openapi(routes.duration, async (c) => {
      const { account } = c.req.valid("param")
      return c.json({ account_name: account, seconds: (await read(c, account)).run_seconds }, 200)
    })
    .openapi(routes.setDuration, async (c) => {
      const { account_name: account, seconds } = c.req.valid("json")
      const { run_seconds: now } = await change(c, account, { run_seconds: seconds })
      return c.json({ account_name: account, seconds: now }, 200)
    })
}
