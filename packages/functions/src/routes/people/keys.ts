import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { keyedProviders, type ProviderId } from "@switchyard/core/models/providers/providers"
import { resolveModel } from "@switchyard/core/models/resolve"
import { listKeys, removeKey, saveKey } from "@switchyard/core/people/accounts/key-uses"
import { NewSavedKey, SavedKeyView } from "@switchyard/core/people/accounts/schema"
import { testKey } from "@switchyard/core/people/accounts/test-key"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("models")
const SavedKeys = z.object({ keys: z.array(SavedKeyView) }).openapi("SavedKeys")
const Removed = z
  .object({ provider: SavedKeyView.shape.provider, deleted: z.literal(true), accounts: SavedKeyView.shape.accounts })
  .openapi("DeletedSavedKey")
const params = z.object({ provider: z.string().max(100) })

export const routes = {
  list: endpoint.get("/api/v1/keys", {
    summary: "List your saved keys for model providers",
    responses: answers(SavedKeys, "All saved keys, without the keys themselves"),
  }),
  put: endpoint.put("/api/v1/keys/{provider}", {
    summary: "Test and save a key for a model provider, or replace it",
    description:
      "Runs without a key of their own use it from then on. Runs that have already started continue with the key that they have. If the provider refuses the key, the response is `invalid_request` and nothing is saved. If the test isn't conclusive, it is `model_error`; repeat the request with `test: false` to save the key anyway. `details.test` is `refused`, `no_credit`, `rate_limited` or `unreachable`.",
    request: { params, body: jsonBody(NewSavedKey) },
    responses: answers(SavedKeyView, "The saved key, without the key itself"),
  }),
  remove: endpoint.delete("/api/v1/keys/{provider}", {
    summary: "Delete a saved key, and the accounts that use it",
    request: { params },
    responses: answers(Removed, "Deleted"),
  }),
}

/** Serves an owner's keys for model providers. */
export function keyRoutes(deps: AppDeps): OpenAPIHono {
  const { catalog, config, stopping } = deps
  const options = { signal: stopping }
  return createRoutes()
    .openapi(routes.list, async (c) => c.json({ keys: await listKeys(deps, principal(c).owner, options) }, 200))
    .openapi(routes.put, async (c) => {
      const provider = providerIn(c.req.valid("param").provider)
      const { api_key: apiKey, test, use_for_agent: useForAgent } = c.req.valid("json")
      // Throw if the key clearly belongs to another provider, because the key must not be sent to the wrong provider.
      const access = resolveModel(config.models, { name: `${provider}/any`, surface: "general", apiKey })
      if (test) await testKey(catalog, access, options)
      const key = { provider, apiKey, tested: test, useForAgent }
      return c.json(await saveKey(deps, principal(c).owner, key, options), 200)
    })
    .openapi(routes.remove, async (c) => {
      const provider = providerIn(c.req.valid("param").provider)
      const accounts = await removeKey(deps, principal(c).owner, provider, protectedOptions(c, deps))
      if (!accounts) throw new AppError("not_found", "No key is saved for this provider.", { provider })
      return c.json({ provider, deleted: true as const, accounts }, 200)
    })
}

function providerIn(text: string): ProviderId {
  const provider = keyedProviders.find((id) => id === text)
  if (provider) return provider
  throw new AppError("not_found", "There is no model provider with this name that uses keys.", { provider: text })
}
