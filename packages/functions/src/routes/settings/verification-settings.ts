import type { OpenAPIHono } from "@hono/zod-openapi"
import {
  MaxVerificationAttempts,
  type OwnerVerification,
  PreferredVerificationModel,
  VerificationAgent,
  VerificationSwitch,
  VerificationSwitchChange,
} from "@switchyard/core/people/settings/verification-schema"
import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import { DEFAULT_ATTEMPTS } from "@switchyard/core/work/verification/schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("settings")
const path = <N extends string>(name: N) => `/api/v1/config/${name}` as const

export const routes = {
  get: endpoint.get(path("verification"), {
    summary: "Get whether your agents' tasks are verified",
    responses: answers(VerificationSwitch, "Your settings"),
  }),
  change: endpoint.put(path("verification"), {
    summary: "Set whether your agents' tasks are verified",
    description:
      "Apply to later tasks. Settings of a task, its session or its repository override them. Omitted fields keep their value.",
    request: { body: jsonBody(VerificationSwitchChange) },
    responses: answers(VerificationSwitch, "Your settings"),
  }),
  agent: endpoint.get(path("verification-agent"), {
    summary: "Get the agent that reviews work after its checks have passed",
    responses: answers(VerificationAgent, "The agent"),
  }),
  setAgent: endpoint.put(path("verification-agent"), {
    summary: "Set the agent that reviews work after its checks have passed",
    request: { body: jsonBody(VerificationAgent) },
    responses: answers(VerificationAgent, "The agent"),
  }),
  model: endpoint.get(path("preferred-verification-model"), {
    summary: "Get the reviewing agent's model",
    responses: answers(PreferredVerificationModel, "The model"),
  }),
  setModel: endpoint.put(path("preferred-verification-model"), {
    summary: "Set the reviewing agent's model",
    request: { body: jsonBody(PreferredVerificationModel) },
    responses: answers(PreferredVerificationModel, "The model"),
  }),
  attempts: endpoint.get(path("max-verification-attempts"), {
    summary: "Get how many attempts an agent has to pass its checks",
    responses: answers(MaxVerificationAttempts, "The attempts"),
  }),
  setAttempts: endpoint.put(path("max-verification-attempts"), {
    summary: "Set how many attempts an agent has to pass its checks",
    request: { body: jsonBody(MaxVerificationAttempts) },
    responses: answers(MaxVerificationAttempts, "The attempts"),
  }),
}

/** Serves an owner's settings for verifying agents' work. All endpoints read and change the same settings. */
export function verificationSettingsRoutes({ settings, agentAccounts, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  const read = (c: Context) => settings.verification.read(principal(c).owner, options)
  const change = (c: Context, to: Partial<OwnerVerification>) =>
    settings.verification.change(principal(c).owner, to, protectedOptions(c, { stopping }))
  return createRoutes()
    .openapi(routes.get, async (c) => c.json(VerificationSwitch.parse(await read(c)), 200))
    .openapi(routes.change, async (c) => c.json(VerificationSwitch.parse(await change(c, c.req.valid("json"))), 200))
    .openapi(routes.agent, async (c) => c.json({ account_name: (await read(c)).account_name }, 200))
    .openapi(routes.setAgent, async (c) => {
      const named = c.req.valid("json").account_name
      const nobody = named === null || named === NO_REVIEWER
      if (!nobody) await agentAccounts.choose(principal(c).owner, named, options)
      return c.json({ account_name: (await change(c, { account_name: named })).account_name }, 200)
    })
    .openapi(routes.model, async (c) => c.json({ model: (await read(c)).model }, 200))
    .openapi(routes.setModel, async (c) => {
      const { model } = c.req.valid("json")
      return c.json({ model: (await change(c, { model })).model }, 200)
    })
    .openapi(routes.attempts, async (c) => c.json({ attempts: (await read(c)).attempts ?? DEFAULT_ATTEMPTS }, 200))
    .openapi(routes.setAttempts, async (c) => {
      const { attempts } = c.req.valid("json")
      await change(c, { attempts })
      return c.json({ attempts }, 200)
    })
}
