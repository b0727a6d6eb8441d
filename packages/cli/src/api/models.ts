import type * as z from "zod"
import type { Requests, Waiting } from "./requests.ts"
import { ModelList, ProviderList, ServerStatus } from "./responses.ts"

/** Requests about the server and its models. */
export interface ModelRequests {
  serverStatus(options: Waiting): Promise<z.infer<typeof ServerStatus>>
  modelProviders(options: Waiting): Promise<ProviderList>
  /** Lists a provider's models. Throws `not_found` for an unknown provider. */
  models(provider: string, options: Waiting): Promise<ModelList>
}

export function createModelRequests({ ask }: Requests): ModelRequests {
  return {
    serverStatus: ({ signal }) => ask("GET /status", ServerStatus, { signal }),

    modelProviders: ({ signal }) => ask("GET /v1/models", ProviderList, { signal }),

    models: (provider, { signal }) => ask("GET /v1/models/{provider}", ModelList, { path: { provider }, signal }),
  }
}
