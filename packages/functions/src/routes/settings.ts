import { createRoute, type OpenAPIHono } from "@hono/zod-openapi"
import { PreferencesChange, StoredPreferences } from "@switchyard/core/people/settings/schema"
import type { AppDeps } from "../deps.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes, jsonBody } from "../http/routing.ts"

const tags = ["settings"]
const path = "/api/v1/config/preferences"

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
}

/** The settings of an owner. */
export function settingsRoutes({ settings, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  return createRoutes()
    .openapi(routes.get, async (c) => c.json(await settings.preferences(principal(c).owner, options), 200))
    .openapi(routes.change, async (c) => {
      return c.json(await settings.changePreferences(principal(c).owner, c.req.valid("json"), options), 200)
    })
}
