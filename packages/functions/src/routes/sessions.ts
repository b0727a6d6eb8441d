import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { principal, workspaceInPath, workspaceOf } from "../http/request.ts"
import { answers, createRoutes } from "../http/routing.ts"
import { SessionId, Touched, WorkspaceHeaders, WorkspaceQuery, workspaceInBody } from "../http/schemas.ts"

const tags = ["workspace"]
const Deleted = z.object({ workspace_id: z.string(), deleted: z.literal(true) }).openapi("Deleted")

const request = { query: WorkspaceQuery, headers: WorkspaceHeaders }

export const routes = {
  create: createRoute({
    method: "post",
    path: "/api/v1/sessions",
    tags,
    summary: "Open a session",
    request: { body: { content: { "application/json": { schema: NewSession } }, required: false } },
    responses: answers(Session, "The new session", 201),
  }),
  touchNamed: createRoute({
    method: "post",
    path: "/workspace/session/touch",
    tags,
    summary: "List your sessions, most recently active first",
    request: {
      query: z.object({
        limit: z.coerce.number().int().min(1).max(100).default(30),
        before: z
          .string()
          .regex(/^\d{15}\/[0-9a-f]{32}$/)
          .optional()
          .describe("`next` of the previous page"),
      }),
    },
    responses: answers(SessionList, "One page"),
  }),
  get: createRoute({
    method: "get",
    path: "/api/v1/sessions/{id}",
    tags,
    summary: "Get a session",
    request: { params: SessionId },
    responses: answers(Session, "The session"),
  }),
  remove: createRoute({
    method: "delete",
    path: "/workspace/session/{id}",
    tags,
    summary: "Delete a session, its files and its runs",
    request: { params: SessionId },
    responses: { ...answers(z.null(), "Deleted", 204), 204: { description: "Deleted" } },
  }),
  removeNamed: createRoute({
    method: "delete",
    path: "/workspace/session",
    tags,
    summary: "Cancel everything that runs in a session",
    request: { params: SessionId },
    responses: answers(CancelAnswer, "Whether anything was stopped"),
  }),
}

/** The life of a workspace's session. */
export function sessionRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  async function touched(c: Context, sessionId: string) {
    const { expiresAt } = await deps.sessions.touch(principal(c).owner, sessionId, options)
    return { workspace_id: sessionId, expires_at: new Date(expiresAt).toISOString() }
  }

  async function removed(c: Context, sessionId: string) {
    await deps.sessions.remove(principal(c).owner, sessionId, options)
    return { workspace_id: sessionId, deleted: true as const }
  }

  return createRoutes()
    .openapi(routes.create, async (c) => c.json(await touched(c, deps.newSessionId()), 200))
    .openapi(routes.touch, async (c) => c.json(await touched(c, workspaceInPath(c.req.valid("param").id)), 200))
    .openapi(routes.touchNamed, async (c) => {
      return c.json(await touched(c, workspaceOf(c, c.req.valid("json").workspace_id)), 200)
    })
    .openapi(routes.remove, async (c) => c.json(await removed(c, workspaceInPath(c.req.valid("param").id)), 200))
    .openapi(routes.removeNamed, async (c) => c.json(await removed(c, workspaceOf(c)), 200))
}
