import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import type { ProviderId } from "@switchyard/core/models/providers/providers"
import { installedProvider, resolveModel } from "@switchyard/core/models/resolve"
import { ListedModel, ModelProviderView } from "@switchyard/core/models/schema"
import { ownersDefaultModel, withOwnersKey } from "@switchyard/core/people/accounts/model-keys"
import { listModelProviders } from "@switchyard/core/people/accounts/model-providers"
import type { AppDeps } from "../../deps.ts"
import { modelKey, principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"

const endpoint = endpointsOf("models")
const headers = z.object({
  "x-api-key": z
    .string()
    .optional()
    .describe("API key for the provider. By default, your saved key, the server's key, or an account's"),
})
const ModelProviders = z
  .object({
    default_model: z.string().describe("Model for runs that don't name one"),
    providers: z.array(ModelProviderView),
  })
  .openapi("ModelProviders")
const Models = z
  .object({
    provider: ModelProviderView.shape.id,
    models: z.array(ListedModel).describe("Newest first"),
    complete: z.boolean().describe("False if this server can't ask the provider and knows only the default model"),
  })
  .openapi("Models")

export const routes = {
  providers: endpoint.get("/v1/models", {
    summary: "List model providers; those with a key come first",
    request: { headers },
    responses: answers(ModelProviders, "All providers, and where their keys come from"),
  }),
  list: endpoint.get("/v1/models/{provider}", {
    summary: "List a provider's models, as last reported by the provider",
    request: { params: z.object({ provider: z.string().max(100) }), headers },
    responses: answers(Models, "The models with text output"),
  }),
}

/** Serves the models that runs can use. */
export function modelRoutes(deps: AppDeps): OpenAPIHono {
  const { catalog, stopping } = deps
  const { models } = deps.config
  const options = { signal: stopping }
  return createRoutes()
    .openapi(routes.providers, async (c) => {
      const asked = { apiKey: modelKey(c), ...options }
      const providers = await listModelProviders({ ...deps, models }, principal(c).owner, asked)
      const default_model = await ownersDefaultModel({ ...deps, models }, principal(c).owner, options)
      return c.json({ default_model, providers }, 200)
    })
    .openapi(routes.list, async (c) => {
      const provider = providerIn(c.req.valid("param").provider, models.allowScripted)
      const name = installedProvider(models, provider).defaultModel ?? `${provider}/any`
      const asked = { name, surface: "general" as const, apiKey: modelKey(c) }
      const access = resolveModel(models, await withOwnersKey({ ...deps, models }, principal(c).owner, asked, options))
      return c.json({ provider, ...(await catalog.list(access, options)) }, 200)
    })
}

function providerIn(text: string, allowScripted: boolean): ProviderId {
  const provider = ModelProviderView.shape.id.safeParse(text).data
  if (provider && (provider !== "scripted" || allowScripted)) return provider
  throw new AppError("not_found", "There is no model provider with this name.", { provider: text })
}
