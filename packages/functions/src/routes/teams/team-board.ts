import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Rule } from "@switchyard/core/kernel/session-log"
import { Board, NewTeamNode, NewTeamWorker, NodeAssignment, NodeMove } from "@switchyard/core/work/teams/request-schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"
import { teamEndpoint } from "../../http/team-paths.ts"

const NodeOfTeam = SessionId.extend({ node: z.string().max(100) })

export const routes = {
  addNode: teamEndpoint.post("/{id}/nodes", {
    summary: "Add a node to a team's board",
    description: "Notifies the coordinator, which assigns the node to a worker unless you do.",
    request: { params: SessionId, body: jsonBody(NewTeamNode) },
    responses: answers(Board, "The board", 201),
  }),
  addWorker: teamEndpoint.post("/{id}/workers", {
    summary: "Add a worker to a team, with the team's model or one of its command-line agents",
    request: { params: SessionId, body: jsonBody(NewTeamWorker) },
    responses: answers(Board, "The board", 201),
  }),
  assign: teamEndpoint.post("/{id}/nodes/{node}/assign", {
    summary: "Assign a team's node to a worker",
    description:
      "The node starts once there is capacity. Its dependencies must be completed, and the worker must be idle.",
    request: { params: NodeOfTeam, body: jsonBody(NodeAssignment) },
    responses: answers(Board, "The board"),
  }),
  move: teamEndpoint.post("/{id}/nodes/{node}/move", {
    summary: "Move a node that hasn't started to another position on the board",
    description: "The position decides which of the assigned, waiting nodes starts first.",
    request: { params: NodeOfTeam, body: jsonBody(NodeMove) },
    responses: answers(Board, "The board"),
  }),
  retry: teamEndpoint.post("/{id}/nodes/{node}/retry", {
    summary: "Retry a team's failed node",
    description: "The node's worker retries it if idle; otherwise the coordinator chooses a worker.",
    request: { params: NodeOfTeam },
    responses: answers(Board, "The board"),
  }),
}

/** Serves people's changes to a team's board. They follow the same rules as the coordinator's changes. */
export function teamBoardRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const load = () => import("@switchyard/core/work/teams/manual-actions")

  async function change(c: Context, id: string, rule: Rule) {
    const { viewBoard } = await import("@switchyard/core/work/teams/views/read-team")
    const { owner } = principal(c)
    await deps.changeTeam(await deps.sessions.find(owner, id, options), rule, options)
    return viewBoard(deps, await deps.sessions.find(owner, id, options), options)
  }

  const app = createRoutes()
  for (const route of routes.addNode)
    app.openapi(route, async (c) => {
      const { id: nodeId, dependencies: deps, ...node } = c.req.valid("json")
      const { addNodeByHand } = await load()
      const rule = addNodeByHand({ ...node, nodeId, deps, refs: {} })
      return c.json(await change(c, c.req.valid("param").id, rule), 201)
    })
  for (const route of routes.addWorker)
    app.openapi(route, async (c) => {
      const { name, role, max_iterations: maxIterations, command } = c.req.valid("json")
      const { addWorkerByHand } = await load()
      const rule = addWorkerByHand({ workerId: deps.newId("wkr"), name, role, maxIterations, command })
      return c.json(await change(c, c.req.valid("param").id, rule), 201)
    })
  for (const route of routes.assign)
    app.openapi(route, async (c) => {
      const { id, node: nodeId } = c.req.valid("param")
      const { assignByHand } = await load()
      return c.json(await change(c, id, assignByHand({ nodeId, worker: c.req.valid("json").worker })), 200)
    })
  for (const route of routes.move)
    app.openapi(route, async (c) => {
      const { id, node: nodeId } = c.req.valid("param")
      const { moveByHand } = await load()
      return c.json(await change(c, id, moveByHand({ nodeId, before: c.req.valid("json").before })), 200)
    })
  for (const route of routes.retry)
    app.openapi(route, async (c) => {
      const { id, node } = c.req.valid("param")
      const { retryByHand } = await load()
      return c.json(await change(c, id, retryByHand(node)), 200)
    })
  return app
}
