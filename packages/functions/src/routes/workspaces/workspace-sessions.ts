import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, workspaceInPath, workspaceOf } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"
import { SessionId, Touched, WorkspaceHeaders, WorkspaceQuery, workspaceInBody } from "../../http/schemas.ts"

const endpoint = endpointsOf("workspace")
const Deleted = z.object({ workspace_id: z.string(), deleted: z.literal(true) }).openapi("Deleted")

const request = { query: WorkspaceQuery, headers: WorkspaceHeaders }

export const routes = {
  create: endpoint.post("/workspace/session", {
    summary: "Create a session with a new ID",
    responses: answers(Touched, "The new session"),
  }),
  touch: endpoint.post("/workspace/session/{id}/touch", {
    summary: "Extend a session by an hour; create it if it doesn't exist",
    request: { params: SessionId },
    responses: answers(Touched, "The session"),
  }),
  touchNamed: endpoint.post("/workspace/session/touch", {
    summary: "Extend the session in the request",
    request: {
      ...request,
      body: {
        content: { "application/json": { schema: z.object(workspaceInBody).openapi("NamedWorkspace") } },
        required: false,
      },
    },
    responses: answers(Touched, "The session"),
  }),
  remove: endpoint.delete("/workspace/session/{id}", {
    summary: "Delete a session, its files and its runs",
    request: { params: SessionId },
    responses: answers(Deleted, "Deleted, if it existed"),
  }),
  removeNamed: endpoint.delete("/workspace/session", {
    summary: "Delete the session in the request",
    request,
    responses: answers(Deleted, "Deleted, if it existed"),
  }),
}

/** Serves workspaces' sessions, as defined by the reference contract. */
export function workspaceSessionRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  async function touch(c: Context, sessionId: string) {
    const { expiresAt } = await deps.sessions.touch(principal(c).owner, sessionId, options)
    return { workspace_id: sessionId, expires_at: new Date(expiresAt).toISOString() }
  }

  async function remove(c: Context, sessionId: string) {
    await deps.sessions.remove(principal(c).owner, sessionId, options)
    return { workspace_id: sessionId, deleted: true as const }
  }

  return createRoutes()
    .openapi(routes.create, async (c) => c.json(await touch(c, deps.newSessionId()), 200))
    .openapi(routes.touch, async (c) => c.json(await touch(c, workspaceInPath(c.req.valid("param").id)), 200))
    .openapi(routes.touchNamed, async (c) => {
      return c.json(await touch(c, workspaceOf(c, c.req.valid("json").workspace_id)), 200)
    })
    .openapi(routes.remove, async (c) => c.json(await remove(c, workspaceInPath(c.req.valid("param").id)), 200))
    .openapi(routes.removeNamed, async (c) => c.json(await remove(c, workspaceOf(c)), 200))
}
