import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { ensureArchive } from "@switchyard/core/workspaces/archive"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { namedWorkspace, principal } from "../http/request.ts"
import { answers, createRoutes } from "../http/routing.ts"

const tags = ["workspace"]
const WorkspaceQuery = z.object({ workspace_id: z.string().optional() })
const Touched = z.object({ workspace_id: z.string(), expires_at: z.iso.datetime() }).openapi("Touched")
const Deleted = z.object({ workspace_id: z.string(), deleted: z.literal(true) }).openapi("Deleted")
const Link = z.object({ url: z.url(), expires_at: z.iso.datetime() }).openapi("Link")

const LINK_SECONDS = 900
const ARCHIVE_NAME = "generated_project.zip"

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
    request: { query: WorkspaceQuery },
    responses: answers(Touched, "The session"),
  }),
  remove: createRoute({
    method: "delete",
    path: "/workspace/session",
    tags,
    summary: "Delete a session, its files and its runs",
    request: { query: WorkspaceQuery },
    responses: answers(Deleted, "It is gone, if it was there"),
  }),
  download: createRoute({
    method: "get",
    path: "/workspace/download",
    tags,
    summary: "The files as a zip",
    request: { query: WorkspaceQuery.extend({ link: z.enum(["0", "1", "true", "false"]).optional() }) },
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
    .openapi(routes.touch, async (c) => c.json(await touched(c, namedWorkspace(c)), 200))
    .openapi(routes.remove, async (c) => {
      const sessionId = namedWorkspace(c)
      await deps.sessions.remove(principal(c).owner, sessionId, options)
      return c.json({ workspace_id: sessionId, deleted: true as const }, 200)
    })
    .openapi(routes.download, async (c) => {
      const { session } = await deps.sessions.touch(principal(c).owner, namedWorkspace(c), options)
      const key = await ensureArchive(deps, session, options)
      const expiresAt = deps.clock.now() + LINK_SECONDS * 1000
      const link = { expiresInSeconds: LINK_SECONDS, filename: ARCHIVE_NAME, contentType: "application/zip" }
      const url = await deps.blobs.signedUrl(key, link)
      const asked = c.req.valid("query").link
      if (asked === "1" || asked === "true") return c.json({ url, expires_at: new Date(expiresAt).toISOString() }, 200)
      return c.redirect(url, 302)
    })
}
