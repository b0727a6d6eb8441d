import { createRoute, type OpenAPIHono } from "@hono/zod-openapi"
import { PermissionRulesChange, StoredPermissionRules } from "@switchyard/core/people/settings/permission-rules-schema"
import {
  RepositoriesSettingsChange,
  StoredRepositoriesSettings,
} from "@switchyard/core/people/settings/repository-settings-schema"
import { PreferencesChange, StoredPreferences } from "@switchyard/core/people/settings/schema"
import type { AppDeps } from "../deps.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody } from "../http/routing.ts"

const tags = ["settings"]
const path = "/api/v1/config/preferences"
const repositoriesPath = "/api/v1/config/repositories"
const rulesPath = "/api/v1/config/permissions"

export const routes = {
  get: createRoute({
    method: "get",
    path,
    tags,
    summary: "Get the studio's preferences",
    responses: answers(StoredPreferences, "Your preferences"),
  }),
  change: createRoute({
    method: "put",
    path,
    tags,
    summary: "Change the studio's preferences; with a version, only if they still have it",
    request: { body: jsonBody(PreferencesChange) },
    responses: answers(StoredPreferences, "All of your preferences"),
  }),
  rules: createRoute({
    method: "get",
    path: rulesPath,
    tags,
    summary: "Get your rules for agents",
    responses: answers(StoredPermissionRules, "Your rules"),
  }),
  replaceRules: createRoute({
    method: "put",
    path: rulesPath,
    tags,
    summary: "Set your rules for agents; with a version, only if they still have it",
    description:
      "They hold for every task that begins from then on, beside its agent's mode: your own come first, then those of its repository, then what was allowed in its session. Of several rules the last one wins, but one that denies wins over all.",
    request: { body: jsonBody(PermissionRulesChange) },
    responses: answers(StoredPermissionRules, "Your rules"),
  }),
  repositories: createRoute({
    method: "get",
    path: repositoriesPath,
    tags,
    summary: "Get your settings of repositories",
    responses: answers(StoredRepositoriesSettings, "Your settings"),
  }),
  replaceRepositories: createRoute({
    method: "put",
    path: repositoriesPath,
    tags,
    summary: "Set how worktrees of your repositories are set up; with a version, only if they still have it",
    description:
      "They hold for every worktree in which a task begins from then on. A worktree that is there keeps what it was made with, its clean-up command included.",
    request: { body: jsonBody(RepositoriesSettingsChange) },
    responses: answers(StoredRepositoriesSettings, "Your settings"),
  }),
}

/** The settings of an owner. */
export function settingsRoutes({ settings, permissionRules, repositories, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  return createRoutes()
    .openapi(routes.get, async (c) => c.json(await settings.preferences(principal(c).owner, options), 200))
    .openapi(routes.rules, async (c) => c.json(await permissionRules.read(principal(c).owner, options), 200))
    .openapi(routes.replaceRules, async (c) => {
      return c.json(await permissionRules.replace(principal(c).owner, c.req.valid("json"), options), 200)
    })
    .openapi(routes.repositories, async (c) => c.json(await repositories.read(principal(c).owner, options), 200))
    .openapi(routes.replaceRepositories, async (c) => {
      return c.json(await repositories.replace(principal(c).owner, c.req.valid("json"), options), 200)
    })
    .openapi(routes.change, async (c) => {
      return c.json(await settings.changePreferences(principal(c).owner, c.req.valid("json"), options), 200)
    })
}
