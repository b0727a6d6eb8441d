import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { BrowsedFiles, MemorySections } from "@switchyard/core/work/teams/request-schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"
import { teamEndpoint } from "../../http/team-paths.ts"

const browse = <S extends "workspace" | "memory">(root: S, summary: string, description: string) =>
  teamEndpoint.get(`/{id}/${root}`, {
    summary,
    description,
    request: { params: SessionId, query: z.object({ path: z.string().max(1100).default("") }) },
    responses: answers(BrowsedFiles, "The folder's entries, or the file's text"),
  })

export const routes = {
  workspace: browse(
    "workspace",
    "Browse a team's files",
    "The files of its session: the project's files, and each node's published files under `nodes/`.",
  ),
  memory: browse("memory", "Browse a team's memory", "The files under `memory/`. The path is relative to it."),
  search: teamEndpoint.get("/{id}/memory/search", {
    summary: "Search a team's notes",
    description:
      "Returns the best matching sections of the files under `memory/`, or all sections if they are smaller than 20 KB in total.",
    request: { params: SessionId, query: z.object({ q: z.string().min(1).max(500) }) },
    responses: answers(MemorySections, "The sections, best match first"),
  }),
}

/** Serves a team's files and memory. */
export function teamFileRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)
  const look = async (c: Context, id: string, where: { root: "" | "memory"; path: string }) => {
    const { browseFiles } = await import("@switchyard/core/work/teams/views/browse-files")
    return browseFiles(deps, await find(c, id), where, options)
  }
  const app = createRoutes()
  for (const route of routes.workspace)
    app.openapi(route, async (c) =>
      c.json(await look(c, c.req.valid("param").id, { root: "", ...c.req.valid("query") }), 200),
    )
  for (const route of routes.memory)
    app.openapi(route, async (c) =>
      c.json(await look(c, c.req.valid("param").id, { root: "memory", ...c.req.valid("query") }), 200),
    )
  for (const route of routes.search)
    app.openapi(route, async (c) => {
      const { findInMemory } = await import("@switchyard/core/work/teams/views/read-memory")
      const session = await find(c, c.req.valid("param").id)
      return c.json({ sections: await findInMemory(deps, session, c.req.valid("query").q, options) }, 200)
    })
  return app
}
