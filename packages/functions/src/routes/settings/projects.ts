import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { namedRepository } from "@switchyard/core/agents/tasks/new-task"
import { Configured, FoundProject } from "@switchyard/core/people/settings/autoconfigure-schema"
import { createProjects, ProjectChange, ProjectSettings } from "@switchyard/core/people/settings/projects"
import { PromptPreviews } from "@switchyard/core/people/settings/prompt-previews-schema"
import { ExportedConfig, exportConfig, importConfig } from "@switchyard/core/people/settings/transfer"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("settings")
const path = "/api/v1/config/project"
const query = z.object({ project_path: z.string().trim().min(1).max(4096) })
const Imported = z
  .object({
    ok: z.literal(true),
    message: z.string(),
    accounts_without_key: z.array(z.string()).describe("Accounts that were skipped because they need a key"),
  })
  .openapi("ImportedConfig")
const ProjectList = z.array(ProjectSettings).openapi("ProjectList")
const ConfigImport = z.strictObject({ config: ExportedConfig }).openapi("ConfigImport")
const Autoconfigure = z
  .strictObject({
    project_path: ProjectChange.shape.project_path,
    apply: z.boolean().default(true).describe("If false, only reports the detected settings"),
  })
  .openapi("Autoconfigure")
const Autoconfigured = z
  .object({
    found: FoundProject,
    changed: z.array(Configured).describe("Settings changed by this request"),
    settings: ProjectSettings,
  })
  .openapi("Autoconfigured")
const Deleted = z.object({ deleted: z.literal(true), project_path: z.string() }).openapi("DeletedProject")

export const routes = {
  list: endpoint.get("/api/v1/config/projects", {
    summary: "List the repositories that have settings",
    responses: answers(ProjectList, "All repositories with settings"),
  }),
  get: endpoint.get(path, {
    summary: "Get a repository's settings",
    request: { query },
    responses: answers(ProjectSettings, "The settings"),
  }),
  change: endpoint.put(path, {
    summary: "Change a repository's settings",
    description: "A view of `/api/v1/config/repositories`. Omitted fields keep their value.",
    request: { body: jsonBody(ProjectChange) },
    responses: answers(ProjectSettings, "The settings"),
  }),
  remove: endpoint.delete(path, {
    summary: "Delete all of a repository's settings",
    request: { query },
    responses: answers(Deleted, "Deleted"),
  }),
  autoconfigure: endpoint.post(`${path}/autoconfigure`, {
    summary: "Detect a repository's settings from its lockfiles and manifests, and fill in missing settings",
    description:
      "Takes a folder on the server's machine. A deployed server can't read your folders, so it refuses. Existing settings are kept. Commands are only reported, because checks detect them anyway if they aren't set.",
    request: { body: jsonBody(Autoconfigure) },
    responses: answers(Autoconfigured, "The detected settings and the changed settings"),
  }),
  prompts: endpoint.get("/api/v1/config/prompt-previews", {
    summary: "Preview agents' prompts, for a repository or in general",
    request: { query: query.partial() },
    responses: answers(PromptPreviews, "The prompts, with placeholders"),
  }),
  export: endpoint.get("/api/v1/config/export", {
    summary: "Export your settings, without secrets",
    responses: answers(ExportedConfig, "All of your settings"),
  }),
  import: endpoint.post("/api/v1/config/import", {
    summary: "Replace your settings with exported ones",
    description: "Existing accounts are kept. Accounts that need a key aren't added.",
    request: { body: jsonBody(ConfigImport) },
    responses: answers(Imported, "Imported"),
  }),
}

/** Serves per-project settings in the format of other servers, and exports all settings. */
export function projectRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const projects = createProjects(deps.repositories)
  const named = (owner: string, text: string) => {
    const { url } = namedRepository(text, { local: deps.agents?.local ?? false })
    return deps.repositories.nameFor(owner, url, options)
  }
  return createRoutes()
    .openapi(routes.list, async (c) => c.json(await projects.list(principal(c).owner, options), 200))
    .openapi(routes.get, async (c) => {
      const { project_path } = c.req.valid("query")
      const { owner } = principal(c)
      return c.json(await projects.get(owner, await named(owner, project_path), options), 200)
    })
    .openapi(routes.change, async (c) => {
      const change = c.req.valid("json")
      const { owner } = principal(c)
      const toRepository = { ...change, project_path: await named(owner, change.project_path) }
      return c.json(await projects.change(owner, toRepository, protectedOptions(c, deps)), 200)
    })
    .openapi(routes.remove, async (c) => {
      const { owner } = principal(c)
      const project_path = await named(owner, c.req.valid("query").project_path)
      await projects.remove(owner, project_path, protectedOptions(c, deps))
      return c.json({ deleted: true as const, project_path }, 200)
    })
    .openapi(routes.autoconfigure, async (c) => {
      const { project_path, apply } = c.req.valid("json")
      const { owner } = principal(c)
      const by = { projects, readCheckout: deps.agents?.readCheckout }
      // If the server can't read folders, let `autoconfigure` report that first, even if the folder's name is invalid.
      const repository = by.readCheckout ? await named(owner, project_path) : project_path
      // Load this module on demand, because it contains a parser.
      const { autoconfigure } = await import("@switchyard/core/people/settings/autoconfigure")
      const configured = await autoconfigure(by, owner, { repository, apply }, options)
      return c.json({ ...configured, settings: await projects.get(owner, repository, options) }, 200)
    })
    .openapi(routes.prompts, async (c) => {
      const { project_path } = c.req.valid("query")
      const { previewPrompts } = await import("@switchyard/core/people/settings/prompt-previews")
      const { owner } = principal(c)
      const project =
        project_path === undefined ? {} : await projects.get(owner, await named(owner, project_path), options)
      return c.json(previewPrompts(project), 200)
    })
    .openapi(routes.export, async (c) => c.json(await exportConfig(deps, principal(c).owner, options), 200))
    .openapi(routes.import, async (c) => {
      const { owner } = principal(c)
      const { withoutKey } = await importConfig(deps, owner, c.req.valid("json").config, protectedOptions(c, deps))
      const missing = withoutKey.length > 0 ? ` Add these accounts with their keys: ${withoutKey.join(", ")}.` : ""
      const message = `The settings were imported.${missing}`
      return c.json({ ok: true as const, message, accounts_without_key: withoutKey }, 200)
    })
}
