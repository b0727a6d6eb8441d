import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { sessionAt } from "@switchyard/core/kernel/session-at"
import type { Rule } from "@switchyard/core/kernel/session-log"
import { HUMAN } from "@switchyard/core/work/teams/schema"
import { TeamTrigger } from "@switchyard/core/work/teams/trigger-schema"
import {
  CreatedTeamTrigger,
  NewTeamTrigger,
  oneTrigger,
  TeamTriggers,
  toTriggers,
} from "@switchyard/core/work/teams/triggers/trigger-requests"
import type { AppDeps } from "../../deps.ts"
import { rateLimit } from "../../http/authorize.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { MomentQuery, SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("teams")
const path = "/api/v1/teams/{id}/triggers"

export const routes = {
  list: endpoint.get(path, {
    summary: "List a team's triggers",
    request: { params: SessionId, query: MomentQuery },
    responses: answers(TeamTriggers, "The triggers, oldest first"),
  }),
  create: endpoint.post(path, {
    summary: "Create a trigger that wakes a team at a given time, repeatedly, after an event, or from another program",
    description:
      "Each due time, event or delivery fires the trigger once. If several due times passed while the team was halted or the server was down, the trigger fires only once for them.",
    request: { params: SessionId, body: jsonBody(NewTeamTrigger) },
    responses: answers(CreatedTeamTrigger, "The trigger", 201),
  }),
  cancel: endpoint.delete(`${path}/{trigger}` as `${typeof path}/{trigger}`, {
    summary: "Cancel a team's trigger",
    request: { params: SessionId.extend({ trigger: z.string().max(100) }) },
    responses: answers(TeamTrigger, "The cancelled trigger"),
  }),
  deliver: endpoint.post("/hooks/{token}", {
    summary: "Fire a team's trigger from another program",
    description:
      "The coordinator receives the first 8,000 characters of the body as information. Deliveries with the same `Idempotency-Key` count only once.",
    request: {
      params: z.object({ token: z.string().max(1000) }),
      headers: z.object({ "idempotency-key": z.string().max(200).optional() }),
    },
    responses: answers(
      z.object({ accepted: z.literal(true) }).openapi("TriggerDelivery"),
      "The delivery was accepted",
      202,
    ),
  }),
}

const MAX_PAYLOAD_CHARS = 8000

/** Serves teams' triggers, and the links that let other programs fire them. */
export function teamTriggerRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const load = async () => ({
    ...(await import("@switchyard/core/work/teams/team-rules")),
    ...(await import("@switchyard/core/work/teams/triggers/trigger-rules")),
  })

  async function triggersOf(owner: string, id: string, atSeq?: number) {
    const { state } = await sessionAt(deps, await deps.sessions.find(owner, id, options), atSeq, options)
    if (!state.team) throw new AppError("not_found", "This session has no team.")
    return state.team.triggers
  }

  async function hasFired(owner: string, id: string, triggerId: string, deliveryId: string): Promise<boolean> {
    const triggers = await triggersOf(owner, id)
    const trigger = Object.hasOwn(triggers, triggerId) ? triggers[triggerId] : undefined
    return trigger?.deliveries.includes(deliveryId) ?? false
  }

  async function change(owner: string, id: string, make: (rules: Awaited<ReturnType<typeof load>>) => Rule) {
    await deps.changeTeam(await deps.sessions.find(owner, id, options), make(await load()), options)
  }

  return createRoutes()
    .openapi(routes.list, async (c) => {
      const triggers = await triggersOf(principal(c).owner, c.req.valid("param").id, c.req.valid("query").at_seq)
      return c.json({ triggers: toTriggers(triggers) }, 200)
    })
    .openapi(routes.create, async (c) => {
      const { id } = c.req.valid("param")
      const { owner } = principal(c)
      const asked = { ...c.req.valid("json"), triggerId: deps.newId("trg"), by: HUMAN }
      const { action } = asked
      if (action.type === "run_callback" && !(await deps.webhooks.open(owner, action.webhook_id, options)))
        throw new AppError("not_found", "There is no webhook trigger with this ID.")
      if (asked.when.type === "webhook") {
        const { requireTeamKeys } = await import("@switchyard/core/sessions/requests/team-keys")
        await requireTeamKeys(deps, owner, await deps.sessions.find(owner, id, options), options)
      }
      await change(owner, id, ({ onTeam, createTrigger }) => {
        return onTeam((team) => createTrigger(team, asked, deps.clock.now()))
      })
      const grant = { owner, session_id: id, trigger_id: asked.triggerId }
      const webhook = asked.when.type === "webhook" ? deps.access.triggerLinks.sign(grant) : null
      return c.json({ ...oneTrigger(await triggersOf(owner, id), asked.triggerId), webhook }, 201)
    })
    .openapi(routes.cancel, async (c) => {
      const { id, trigger } = c.req.valid("param")
      const { owner } = principal(c)
      await change(owner, id, ({ onTeam, cancelTrigger }) => onTeam((team) => cancelTrigger(team, trigger)))
      return c.json(oneTrigger(await triggersOf(owner, id), trigger), 200)
    })
    .openapi(routes.deliver, async (c) => {
      const { owner, session_id, trigger_id } = deps.access.triggerLinks.verify(c.req.valid("param").token)
      const key = c.req.valid("header")["idempotency-key"]
      const perMinute = deps.config.perMinute.runs
      // A repeated delivery doesn't start anything, so it doesn't count toward the owner's rate.
      const isRepeated = key !== undefined && (await hasFired(owner, session_id, trigger_id, key))
      if (perMinute && !isRepeated) await rateLimit(deps, { name: "runs", perMinute }, owner)
      const deliveryId = key ?? deps.newId("evt")
      const payload = (await c.req.text()).slice(0, MAX_PAYLOAD_CHARS)
      await change(owner, session_id, ({ onTeam, fireWebhook }) => {
        return onTeam((team) => fireWebhook(team, trigger_id, { deliveryId, payload }))
      })
      return c.json({ accepted: true as const }, 202)
    })
}
