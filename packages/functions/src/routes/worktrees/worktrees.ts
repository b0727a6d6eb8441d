import type { OpenAPIHono } from "@hono/zod-openapi"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { createRoutes } from "../../http/routing.ts"
import { createWorktreeCommands } from "../../http/worktree-commands.ts"
import { routes } from "./worktree-endpoints.ts"

/** Serves changes to a session's worktrees. The changes are made by the session's runner. */
export function worktreeRoutes(deps: AppDeps): OpenAPIHono {
  const { send, sendMerge, open, deadline } = createWorktreeCommands(deps)

  return createRoutes()
    .openapi(routes.create, (c) => {
      const { reset } = c.req.valid("query")
      const statusOf = (answer: Record<string, unknown>) => (answer.created ? 201 : 200)
      return send(c, c.req.valid("param").id, { command: "create", reset, ...c.req.valid("json") }, { statusOf })
    })
    .openapi(routes.confirmDeletions, (c) => {
      return send(c, c.req.valid("param").id, { command: "confirm_deletions" })
    })
    .openapi(routes.merge, (c) => {
      return sendMerge(c, c.req.valid("param").id, c.req.valid("json"))
    })
    .openapi(routes.update, (c) => {
      return send(c, c.req.valid("param").id, { command: "update", ...c.req.valid("json") })
    })
    .openapi(routes.resolve, (c) => {
      return send(c, c.req.valid("param").id, { command: "resolve", resolution: c.req.valid("json") })
    })
    .openapi(routes.complete, (c) => {
      return send(c, c.req.valid("param").id, { command: "complete", ...c.req.valid("json") })
    })
    .openapi(routes.abort, (c) => send(c, c.req.valid("param").id, { command: "abort" }))
    .openapi(routes.undo, (c) => {
      return send(c, c.req.valid("param").id, { command: "undo", ...c.req.valid("json") })
    })
    .openapi(routes.reset, (c) => {
      const { id } = c.req.valid("param")
      return send(c, id, { command: "reset" }, { more: { session_id: id } })
    })
    .openapi(routes.push, (c) => {
      return send(c, c.req.valid("param").id, { command: "push", ...c.req.valid("json") })
    })
    .openapi(routes.pullRequest, async (c) => {
      const { openPullRequest } = await import("@switchyard/core/sessions/forges/pull-requests")
      const of = { ...(await open(c, c.req.valid("param").id)), owner: principal(c).owner }
      return c.json(await openPullRequest(deps, { ...of, request: c.req.valid("json") }, deadline()), 200)
    })
    .openapi(routes.shell, (c) => {
      return send(c, c.req.valid("param").id, { question: "shell", ...c.req.valid("json") })
    })
    .openapi(routes.remove, (c) => {
      const { id } = c.req.valid("param")
      const { discard } = c.req.valid("query")
      return send(c, id, { command: "delete", discard }, { more: { session_id: id } })
    })
}
