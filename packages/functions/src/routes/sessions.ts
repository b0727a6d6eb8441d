import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { ensureArchive } from "@switchyard/core/workspaces/archive"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { principal, workspaceOf } from "../http/request.ts"
import { answers, createRoutes } from "../http/routing.ts"
import { flag, Touched, WorkspaceHeaders, WorkspaceQuery, workspaceInBody } from "../http/schemas.ts"

const tags = ["workspace"]
const Deleted = z.object({ workspace_id: z.string(), deleted: z.literal(true) }).openapi("Deleted")
const Link = z.object({ url: z.url(), expires_at: z.iso.datetime() }).openapi("Link")

const LINK_SECONDS = 900
const ARCHIVE_NAME = "generated_project.zip"

const request = { query: WorkspaceQuery, headers: WorkspaceHeaders }

const routes = {
  create: createRoute({
    method: "post",
    path: "/workspace/session",
    tags,
    summary: "Create a session with an id of its own",
    responses: answers(Touched, "The new session"),
  }),
  touch: createRoute({
    method: "post",
    path: "/workspace/session/touch",
    tags,
    summary: "Keep a session for another hour; one that isn't there is created",
    request: {
      ...request,
      body: { content: { "application/json": { schema: z.object(workspaceInBody) } }, required: false },
    },
    responses: answers(Touched, "The session"),
  }),
  remove: createRoute({
    method: "delete",
    path: "/workspace/session",
    tags,
    summary: "Delete a session, its files and its runs",
    request,
    responses: answers(Deleted, "It is gone, if it was there"),
  }),
  download: createRoute({
    method: "get",
    path: "/workspace/download",
    tags,
    summary: "The files as a zip",
    request: { ...request, query: WorkspaceQuery.extend({ link: flag }) },
    responses: {
      ...answers(Link, "With `link=1`: where to get it, and until when"),
      302: { description: "Where to get it" },
    },
  }),
}

/** The life of a workspace's session, and what one takes home from it. */
export function sessionRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  async function touched(c: Context, sessionId: string) {
    const { expiresAt } = await deps.sessions.touch(principal(c).owner, sessionId, options)
    return { workspace_id: sessionId, expires_at: new Date(expiresAt).toISOString() }
  }

  return createRoutes()
    .openapi(routes.create, async (c) => c.json(await touched(c, deps.newSessionId()), 200))
    .openapi(routes.touch, async (c) => c.json(await touched(c, workspaceOf(c, c.req.valid("json").workspace_id)), 200))
    .openapi(routes.remove, async (c) => {
      const sessionId = workspaceOf(c)
      await deps.sessions.remove(principal(c).owner, sessionId, options)
      return c.json({ workspace_id: sessionId, deleted: true as const }, 200)
    })
    .openapi(routes.download, async (c) => {
      const { session } = await deps.sessions.touch(principal(c).owner, workspaceOf(c), options)
      const key = await ensureArchive(deps, session, options)
      const expiresAt = deps.clock.now() + LINK_SECONDS * 1000
      const link = { expiresInSeconds: LINK_SECONDS, filename: ARCHIVE_NAME, contentType: "application/zip" }
      const url = await deps.blobs.signedUrl(key, link)
      if (!c.req.valid("query").link) return c.redirect(url, 302)
      return c.json({ url, expires_at: new Date(expiresAt).toISOString() }, 200)
    })
}
