import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { parseModelName } from "@switchyard/core/models/names"
import { modelProviders, modelRules } from "@switchyard/core/models/providers/providers"
import {
  BoardNodeInFull,
  Team,
  TeamAnswer,
  TeamConversation,
  TeamEvent,
  TeamTools,
  TeamWorkers,
} from "@switchyard/core/work/teams/request-schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"
import { teamEndpoint } from "../../http/team-paths.ts"

const Deleted = z.object({ status: z.literal("deleted"), id: z.string() }).openapi("TeamDeleted")
const window = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).max(1e9).default(0).describe("Number of latest entries to skip"),
})

export const routes = {
  get: teamEndpoint.get("/{id}", {
    summary: "Get a team",
    request: { params: SessionId },
    responses: answers(Team, "The team"),
  }),
  remove: teamEndpoint.delete("/{id}", {
    summary: "Delete a team, its session and its files",
    request: { params: SessionId },
    responses: answers(Deleted, "Deleted"),
  }),
  workers: teamEndpoint.get("/{id}/workers", {
    summary: "List a team's workers",
    request: { params: SessionId },
    responses: answers(TeamWorkers, "The workers"),
  }),
  tools: teamEndpoint.get("/{id}/tools", {
    summary: "List the tools of a team's members, by purpose",
    request: { params: SessionId },
    responses: answers(TeamTools, "The tools"),
  }),
  node: teamEndpoint.get("/{id}/board/{node}", {
    summary: "Get a node on a team's board, with its full task",
    request: { params: SessionId.extend({ node: z.string().max(100) }) },
    responses: answers(BoardNodeInFull, "The node"),
  }),
  conversation: teamEndpoint.get("/{id}/conversation", {
    summary: "List the latest messages in a team, oldest first",
    request: { params: SessionId, query: window },
    responses: answers(TeamConversation, "The messages"),
  }),
  events: teamEndpoint.get("/{id}/events", {
    summary: "List a team's events",
    description:
      "In order of `seq`. To continue, request again with the last `seq` as `since`. No event is missed or repeated.",
    request: {
      params: SessionId,
      query: z.object({
        since: z.coerce.number().int().min(0).max(1e15).default(0),
        limit: z.coerce.number().int().min(1).max(1000).default(500),
      }),
    },
    responses: answers(z.array(TeamEvent).openapi("TeamEvents"), "The events"),
  }),
  respond: teamEndpoint.post("/{id}/respond", {
    summary: "Answer a team's question with text",
    description:
      "Without `question_id`, answers the only open question. If several are open, returns 409 `question_unclear` with their IDs.",
    request: { params: SessionId, body: jsonBody(TeamAnswer) },
    responses: answers(
      z.object({ status: z.literal("delivered"), question_id: z.string() }).openapi("TeamAnswered"),
      "The answer was accepted",
    ),
  }),
}

/** Serves the routes for viewing a team, answering its questions and deleting it. */
export function teamViewRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)
  const reading = () => import("@switchyard/core/work/teams/views/read-team")
  const app = createRoutes()
  for (const route of routes.get)
    app.openapi(route, async (c) => {
      const { viewTeam } = await reading()
      return c.json(await viewTeam(deps, await find(c, c.req.valid("param").id), options), 200)
    })
  for (const route of routes.remove)
    app.openapi(route, async (c) => {
      const { id } = c.req.valid("param")
      const { state } = await find(c, id)
      if (!state.team) throw new AppError("not_found", "This session has no team.")
      await deps.sessions.remove(principal(c).owner, id, options)
      return c.json({ status: "deleted" as const, id }, 200)
    })
  for (const route of routes.workers)
    app.openapi(route, async (c) => {
      const { viewBoard } = await reading()
      return c.json((await viewBoard(deps, await find(c, c.req.valid("param").id), options)).workers, 200)
    })
  for (const route of routes.tools)
    app.openapi(route, async (c) => {
      const { listTools } = await import("@switchyard/core/work/teams/tools/list-tools")
      const session = await find(c, c.req.valid("param").id)
      const { model } = await (await reading()).viewTeam(deps, session, options)
      const { models, searchKeys } = deps.config
      const { provider, model: itsName } = parseModelName(model, "general")
      const baseUrl = models.providers[provider]?.baseUrl ?? modelProviders[provider].baseUrl ?? ""
      const search = modelRules[provider].searchOf?.(itsName, baseUrl)
      const hasSearchKey = Object.values(searchKeys).some((key) => key !== undefined)
      const { coordinator = null, commands = null } = session.state.team ?? {}
      return c.json(listTools({ coordinator, commands, search, hasSearchKey }), 200)
    })
  for (const route of routes.node)
    app.openapi(route, async (c) => {
      const { viewNode } = await reading()
      const { id, node } = c.req.valid("param")
      return c.json(await viewNode(deps, await find(c, id), node, options), 200)
    })
  for (const route of routes.conversation)
    app.openapi(route, async (c) => {
      const { readTeamMessages } = await import("@switchyard/core/work/teams/views/read-messages")
      const { sid } = await find(c, c.req.valid("param").id)
      const session = await openSessionLog(deps, sid, options)
      const { messages } = await readTeamMessages(deps, session, { ...c.req.valid("query"), ...options })
      return c.json(
        messages.map(({ from: role, to, content, ts }) => ({ role, to, content, ts })),
        200,
      )
    })
  for (const route of routes.events)
    app.openapi(route, async (c) => {
      const { readTeamEvents } = await import("@switchyard/core/sessions/events/team-events")
      const session = await find(c, c.req.valid("param").id)
      if (!session.state.team) throw new AppError("not_found", "This session has no team.")
      return c.json(await readTeamEvents(deps, session, { ...c.req.valid("query"), ...options }), 200)
    })
  for (const route of routes.respond)
    app.openapi(route, async (c) => {
      const { answerInWords } = await import("@switchyard/core/agents/questions/answer-in-words")
      const { response, question_id: named } = c.req.valid("json")
      const { owner } = principal(c)
      const session = await find(c, c.req.valid("param").id)
      const waiting = await deps.questions.ofSession(session, options)
      const ids = waiting.map(({ question_id }) => question_id)
      if (named === undefined && ids.length > 1)
        throw new AppError("question_unclear", "Several questions are open: set question_id.", {
          waiting: ids,
        })
      const question = waiting.find(({ question_id }) => named === undefined || question_id === named)
      const question_id = question?.question_id ?? named ?? ""
      const answer = question
        ? answerInWords(question.question, response)
        : { choice: "allow" as const, text: response }
      await deps.questions.answer(session, question_id, { answer, owner, by: owner }, protectedOptions(c, deps))
      return c.json({ status: "delivered" as const, question_id }, 200)
    })
  return app
}
