import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { requireEvent, sessionAt } from "@switchyard/core/kernel/session-at"
import { openSessionLog, type Rule } from "@switchyard/core/kernel/session-log"
import {
  Board,
  NewTeam,
  Team,
  TeamHalted,
  TeamMessage,
  TeamMessages,
  Teams,
  TeamWritten,
} from "@switchyard/core/work/teams/request-schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions, runCaller } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { MomentQuery, RunHeaders, SessionId, SessionPageQuery } from "../../http/schemas.ts"
import { teamEndpoint } from "../../http/team-paths.ts"

const endpoint = endpointsOf("teams")
const Keyed = z.object({ "idempotency-key": z.string().min(1).max(200).optional() })
const halt = <A extends "pause" | "resume" | "stop">(action: A, summary: string, description: string) =>
  teamEndpoint.post(`/{id}/${action}`, {
    summary,
    description,
    request: { params: SessionId },
    responses: answers(TeamHalted, "The team", 202),
  })

export const routes = {
  create: teamEndpoint.post("", {
    summary: "Give a goal to a team",
    description:
      "A coordinator splits the goal into nodes, assigns them to workers, and finishes when the goal is reached.",
    request: {
      headers: RunHeaders.extend({ "idempotency-key": z.string().max(200).optional() }),
      body: jsonBody(NewTeam),
    },
    responses: answers(Team, "The team, which starts immediately", 201),
  }),
  list: endpoint.get("/api/v1/teams", {
    summary: "List your teams, most recently active first",
    request: { query: SessionPageQuery },
    responses: answers(Teams, "One page"),
  }),
  plainList: endpoint.get("/agents", {
    summary: "List your teams as an array, most recently active first",
    description: "The `Link` header contains the next page, if there is one.",
    request: { query: SessionPageQuery },
    responses: answers(z.array(Team).openapi("TeamList"), "One page"),
  }),
  board: teamEndpoint.get("/{id}/board", {
    summary: "Get a team's board: its nodes and workers",
    request: { params: SessionId, query: MomentQuery },
    responses: answers(Board, "The board"),
  }),
  messages: teamEndpoint.get("/{id}/messages", {
    summary: "List a team's latest messages, oldest first",
    description: "Includes the goal, all messages from members and people, and the report.",
    request: {
      params: SessionId,
      query: MomentQuery.extend({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
    },
    responses: answers(TeamMessages, "The messages"),
  }),
  send: teamEndpoint.post("/{id}/send", {
    summary: "Send a message to a team's coordinator or to a worker",
    description:
      "The recipient reads it before its next model call. A paused or stopped team continues. Requests with the same `Idempotency-Key` send it only once.",
    request: { params: SessionId, headers: Keyed, body: jsonBody(TeamMessage) },
    responses: answers(TeamWritten, "The team", 202),
  }),
  pause: halt("pause", "Pause a team", "No new work starts. Running work stops after its current step."),
  resume: halt("resume", "Resume a team", "It continues from its last state."),
  stop: halt(
    "stop",
    "Stop a team",
    "Interrupts the workers. When the team is resumed, they continue their conversations.",
  ),
}

/** Serves teams. A team consists of a coordinator, workers and a board. The modules for teams are loaded on demand. */
export function teamRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const models = deps.config.models
  const load = async () => ({
    ...(await import("@switchyard/core/sessions/requests/team-request")),
    ...(await import("@switchyard/core/work/teams/views/read-team")),
    ...(await import("@switchyard/core/work/teams/views/read-messages")),
    ...(await import("@switchyard/core/work/teams/team-rules")),
  })
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)
  const view = async (c: Context, id: string) => (await load()).viewBoard(deps, await find(c, id), options)

  async function change(c: Context, id: string, make: (teams: Awaited<ReturnType<typeof load>>) => Rule) {
    const teams = await load()
    await deps.changeTeam(await find(c, id), make(teams), options)
    return { id, ...(await view(c, id)) }
  }

  async function list(c: Context, query: z.output<typeof SessionPageQuery>) {
    const { viewTeam } = await load()
    const { sessions, next } = await deps.sessions.list(principal(c).owner, { ...query, withTeam: true, ...options })
    return { teams: await Promise.all(sessions.map((session) => viewTeam(deps, session, options))), next }
  }

  const app = createRoutes()
  for (const route of routes.create)
    app.openapi(route, async (c) => {
      const request = c.req.valid("json")
      const { requestTeam, viewBoard } = await load()
      const key = c.req.valid("header")["idempotency-key"]
      const { ref } = await requestTeam({ ...deps, models }, runCaller(c, request), request, {
        key,
        ...protectedOptions(c, deps),
      })
      return c.json((await viewBoard(deps, await find(c, ref.session_id), options)).team, 201)
    })
  app.openapi(routes.list, async (c) => c.json(await list(c, c.req.valid("query")), 200))
  app.openapi(routes.plainList, async (c) => {
    const query = c.req.valid("query")
    const { teams, next } = await list(c, query)
    if (next !== null) c.header("Link", `</agents?limit=${query.limit}&before=${encodeURIComponent(next)}>; rel="next"`)
    return c.json(teams, 200)
  })
  for (const route of routes.board)
    app.openapi(route, async (c) => {
      const { viewBoard } = await load()
      const now = await find(c, c.req.valid("param").id)
      const session = await sessionAt(deps, now, c.req.valid("query").at_seq, options)
      return c.json(await viewBoard(deps, session, options), 200)
    })
  for (const route of routes.messages)
    app.openapi(route, async (c) => {
      const { sid } = await find(c, c.req.valid("param").id)
      const session = await openSessionLog(deps, sid, options)
      const { readTeamMessages } = await load()
      const { limit, at_seq: atSeq } = c.req.valid("query")
      if (atSeq !== undefined) requireEvent(session.state, atSeq)
      return c.json(await readTeamMessages(deps, session, { limit, atSeq, ...options }), 200)
    })
  for (const route of routes.send)
    app.openapi(route, async (c) => {
      const { message, to } = c.req.valid("json")
      const messageId = deps.newId("msg")
      const team = await change(c, c.req.valid("param").id, ({ sayToTeam }) =>
        sayToTeam({ to, content: message, messageId, key: c.req.valid("header")["idempotency-key"] }),
      )
      return c.json({ status: "sent" as const, to, message, ...team }, 202)
    })
  for (const route of routes.pause)
    app.openapi(route, async (c) => {
      const team = await change(c, c.req.valid("param").id, ({ setTeam }) => setTeam("paused"))
      return c.json({ status: "paused" as const, ...team }, 202)
    })
  for (const route of routes.resume)
    app.openapi(route, async (c) => {
      const team = await change(c, c.req.valid("param").id, ({ setTeam }) => setTeam("resumed"))
      return c.json({ status: "resumed" as const, ...team }, 202)
    })
  for (const route of routes.stop)
    app.openapi(route, async (c) => {
      const team = await change(c, c.req.valid("param").id, ({ stopTeam }) => stopTeam("The team was stopped."))
      return c.json({ status: "stopped" as const, ...team }, 202)
    })
  return app
}
