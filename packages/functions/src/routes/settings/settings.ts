import type { OpenAPIHono } from "@hono/zod-openapi"
import { CleanupChange, CleanupSettings } from "@switchyard/core/people/settings/cleanup-schema"
import { PermissionRulesChange, StoredPermissionRules } from "@switchyard/core/people/settings/permission-rules-schema"
import {
  RepositoriesSettingsChange,
  StoredRepositoriesSettings,
} from "@switchyard/core/people/settings/repository-settings-schema"
import { PreferencesChange, PreferencesView, type StoredPreferences } from "@switchyard/core/people/settings/schema"
import { SnippetsChange, StoredSnippets } from "@switchyard/core/people/settings/snippets-schema"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("settings")
const path = "/api/v1/config/preferences"
const repositoriesPath = "/api/v1/config/repositories"
const cleanupPath = "/api/v1/config/cleanup"
const snippetsPath = "/api/v1/config/snippets"
const rulesPath = "/api/v1/config/permissions"

export const routes = {
  get: endpoint.get(path, {
    summary: "Get the studio's preferences",
    responses: answers(PreferencesView, "Your preferences"),
  }),
  change: endpoint.put(path, {
    summary: "Change the studio's preferences; with a version, only if it is still current",
    request: { body: jsonBody(PreferencesChange) },
    responses: answers(PreferencesView, "All of your preferences"),
  }),
  rules: endpoint.get(rulesPath, {
    summary: "Get your rules for agents",
    responses: answers(StoredPermissionRules, "Your rules"),
  }),
  replaceRules: endpoint.put(rulesPath, {
    summary: "Set your rules for agents; with a version, only if it is still current",
    description:
      "They apply to every task that begins later, in addition to its agent's mode. Your own rules are evaluated first, then the repository's, then the session's. The last matching rule wins, but a denial always wins.",
    request: { body: jsonBody(PermissionRulesChange) },
    responses: answers(StoredPermissionRules, "Your rules"),
  }),
  repositories: endpoint.get(repositoriesPath, {
    summary: "Get your repository settings",
    responses: answers(StoredRepositoriesSettings, "Your settings"),
  }),
  replaceRepositories: endpoint.put(repositoriesPath, {
    summary: "Set how worktrees of your repositories are set up; with a version, only if it is still current",
    description:
      "They apply to worktrees of tasks that begin later. Existing worktrees keep their settings, including the clean-up command.",
    request: { body: jsonBody(RepositoriesSettingsChange) },
    responses: answers(StoredRepositoriesSettings, "Your settings"),
  }),
  cleanup: endpoint.get(cleanupPath, {
    summary: "Get how long your unused sessions are kept, and which ones were deleted",
    responses: answers(CleanupSettings, "Your settings"),
  }),
  changeCleanup: endpoint.put(cleanupPath, {
    summary: "Set how long your unused sessions are kept",
    description: "Applies to existing sessions too. Omitted fields keep their value.",
    request: { body: jsonBody(CleanupChange) },
    responses: answers(CleanupSettings, "Your settings"),
  }),
  snippets: endpoint.get(snippetsPath, {
    summary: "Get your text snippets for chats",
    responses: answers(StoredSnippets, "Your snippets"),
  }),
  replaceSnippets: endpoint.put(snippetsPath, {
    summary: "Set your text snippets for chats; with a version, only if it is still current",
    request: { body: jsonBody(SnippetsChange) },
    responses: answers(StoredSnippets, "Your snippets"),
  }),
}

/** Serves an owner's settings. */
export function settingsRoutes(deps: AppDeps): OpenAPIHono {
  const { settings, cleanups, permissionRules, repositories, stopping } = deps
  const options = { signal: stopping }
  const view = (stored: StoredPreferences) => toView(stored, deps)
  return createRoutes()
    .openapi(routes.get, async (c) =>
      c.json(await view(await settings.preferences.read(principal(c).owner, options)), 200),
    )
    .openapi(routes.rules, async (c) => c.json(await permissionRules.read(principal(c).owner, options), 200))
    .openapi(routes.replaceRules, async (c) => {
      return c.json(
        await permissionRules.replace(principal(c).owner, c.req.valid("json"), protectedOptions(c, deps)),
        200,
      )
    })
    .openapi(routes.repositories, async (c) => c.json(await repositories.read(principal(c).owner, options), 200))
    .openapi(routes.replaceRepositories, async (c) => {
      return c.json(await repositories.replace(principal(c).owner, c.req.valid("json"), protectedOptions(c, deps)), 200)
    })
    .openapi(routes.change, async (c) => {
      const { dark_mode, ...change } = c.req.valid("json")
      const theme = change.theme ?? themeOf(dark_mode)
      const changed = { ...change, ...(theme && { theme }) }
      return c.json(await view(await settings.preferences.change(principal(c).owner, changed, options)), 200)
    })
    .openapi(routes.snippets, async (c) => c.json(await settings.snippets.read(principal(c).owner, options), 200))
    .openapi(routes.replaceSnippets, async (c) => {
      return c.json(await settings.snippets.change(principal(c).owner, c.req.valid("json"), options), 200)
    })
    .openapi(routes.cleanup, async (c) => c.json(await cleanups.read(principal(c).owner, options), 200))
    .openapi(routes.changeCleanup, async (c) => {
      return c.json(await cleanups.change(principal(c).owner, c.req.valid("json"), options), 200)
    })
}

/** Converts preferences to the API's format. Omits the last folder if it no longer exists. */
async function toView(stored: StoredPreferences, { agents }: Pick<AppDeps, "agents">) {
  const { last_project_path: last } = stored
  const isGone = last?.startsWith("/") && agents?.hasFolder && !(await agents.hasFolder(last))
  return {
    ...stored,
    ...(isGone && { last_project_path: null }),
    dark_mode: stored.theme === "system" ? null : stored.theme === "dark",
  }
}

function themeOf(darkMode: boolean | null | undefined): StoredPreferences["theme"] | undefined {
  if (darkMode === undefined) return undefined
  return darkMode === null ? "system" : darkMode ? "dark" : "light"
}
