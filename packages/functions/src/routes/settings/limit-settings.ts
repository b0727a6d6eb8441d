import type { OpenAPIHono } from "@hono/zod-openapi"
import type { LimitKind } from "@switchyard/core/agents/hand-off/schema"
import { switchThreshold, USAGE_LIMITS, withOrder, withSwitchAt } from "@switchyard/core/people/settings/limit-settings"
import {
  ActionSettings,
  ActionSettingsChange,
  FallbackOrder,
  type LimitSettings,
  SwitchThreshold,
} from "@switchyard/core/people/settings/limit-settings-schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("settings")
const CONTEXT: LimitKind[] = ["context_usage"]
const path = <N extends string>(name: N) => `/api/v1/config/${name}` as const

export const routes = {
  actions: endpoint.get(path("action-settings"), {
    summary: "Get your rules for accounts' limits",
    responses: answers(ActionSettings, "Your rules"),
  }),
  setActions: endpoint.put(path("action-settings"), {
    summary: "Change your rules for accounts' limits",
    description:
      "They apply to later tasks. `notify` sends you a message; `switch_provider` continues with another account in the same worktree; `await_reset` pauses the task until the limit is reset. Omitted fields keep their value.",
    request: { body: jsonBody(ActionSettingsChange) },
    responses: answers(ActionSettings, "All of your rules"),
  }),
  order: endpoint.get(path("provider-fallback-order"), {
    summary: "Get the order of accounts for taking over a task",
    responses: answers(FallbackOrder, "The accounts' names"),
  }),
  setOrder: endpoint.put(path("provider-fallback-order"), {
    summary: "Set the order of accounts for taking over a task",
    request: { body: jsonBody(FallbackOrder) },
    responses: answers(FallbackOrder, "The accounts' names"),
  }),
  usageThreshold: endpoint.get(path("usage-switch-threshold"), {
    summary: "Get the usage percentage that switches to the next account",
    responses: answers(SwitchThreshold, "The threshold"),
  }),
  setUsageThreshold: endpoint.put(path("usage-switch-threshold"), {
    summary: "Set the usage percentage that switches to the next account",
    description:
      "Applies to every usage limit reported by a provider, such as five-hour and weekly limits. With 100, the next account takes over only when a limit is used up.",
    request: { body: jsonBody(SwitchThreshold) },
    responses: answers(SwitchThreshold, "The threshold"),
  }),
  contextThreshold: endpoint.get(path("context-switch-threshold"), {
    summary: "Get the context usage percentage that switches to the next account",
    responses: answers(SwitchThreshold, "The threshold"),
  }),
  setContextThreshold: endpoint.put(path("context-switch-threshold"), {
    summary: "Set the context usage percentage that switches to the next account",
    request: { body: jsonBody(SwitchThreshold) },
    responses: answers(SwitchThreshold, "The threshold"),
  }),
}

/** Serves the owner's rules for used-up limits. All endpoints read and change the same set of rules. */
export function limitSettingsRoutes({ limitSettings, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  const read = (c: Context) => limitSettings.read(principal(c).owner, options)
  const change = (c: Context, to: (now: LimitSettings) => LimitSettings) =>
    limitSettings.change(principal(c).owner, to, options)
  const setThreshold = (c: Context, events: LimitKind[], threshold: number) =>
    change(c, (now) => ({ ...now, rules: withSwitchAt(now.rules, events, threshold) }))
  return createRoutes()
    .openapi(routes.actions, async (c) => c.json(toActions(await read(c)), 200))
    .openapi(routes.setActions, async (c) => {
      const { settings, ...others } = c.req.valid("json")
      const changed = await change(c, (now) => ({ ...now, ...others, rules: settings ?? now.rules }))
      return c.json(toActions(changed), 200)
    })
    .openapi(routes.order, async (c) => c.json({ order: (await read(c)).order }, 200))
    .openapi(routes.setOrder, async (c) => {
      const { order } = await change(c, (now) => withOrder(now, c.req.valid("json").order))
      return c.json({ order }, 200)
    })
    .openapi(routes.usageThreshold, async (c) =>
      c.json({ threshold: switchThreshold(await read(c), USAGE_LIMITS) }, 200),
    )
    .openapi(routes.setUsageThreshold, async (c) => {
      const changed = await setThreshold(c, USAGE_LIMITS, c.req.valid("json").threshold)
      return c.json({ threshold: switchThreshold(changed, USAGE_LIMITS) }, 200)
    })
    .openapi(routes.contextThreshold, async (c) => c.json({ threshold: switchThreshold(await read(c), CONTEXT) }, 200))
    .openapi(routes.setContextThreshold, async (c) => {
      const changed = await setThreshold(c, CONTEXT, c.req.valid("json").threshold)
      return c.json({ threshold: switchThreshold(changed, CONTEXT) }, 200)
    })
}

function toActions({ rules, max_waits, quiet_hours }: LimitSettings) {
  return { settings: rules, max_waits, quiet_hours }
}
