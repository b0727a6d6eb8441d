import { createAnthropicProvider } from "./anthropic.ts"
import { createGroqProvider } from "./groq.ts"
import type { ModelSurface, ProviderId } from "./names.ts"
import { createOpenAiProvider } from "./openai.ts"
import type { ModelProvider } from "./provider.ts"
import { type ModelsConfig, resolveModel } from "./resolve.ts"
import type { ProviderOptions } from "./sdk-options.ts"

export interface OpenedModel {
  provider: ModelProvider
  /** For `ModelRequest.model`. */
  model: string
  /** The full name, to be shown wherever the model's work is. */
  label: string
}

export interface ModelRegistry {
  /** Finds the model and its key; no name means the default. Throws `invalid_request`, and asks nobody yet. */
  open(name: string | undefined, surface: ModelSurface, apiKey?: string): OpenedModel
}

export function createModelRegistry(
  config: ModelsConfig,
  deps: { scripted: ModelProvider } & Pick<ProviderOptions, "idleTimeoutMs" | "fetch" | "now">,
): ModelRegistry {
  const { scripted, ...shared } = deps
  const create = {
    groq: createGroqProvider,
    openai: createOpenAiProvider,
    anthropic: createAnthropicProvider,
    local: (options) => createOpenAiProvider({ ...options, name: "local" }),
    scripted: () => scripted,
  } satisfies Record<ProviderId, (options: ProviderOptions) => ModelProvider>

  return {
    open(name, surface, apiKey) {
      const resolved = resolveModel(config, { name, surface, apiKey })
      const provider = create[resolved.provider]({ ...shared, apiKey: resolved.apiKey, baseUrl: resolved.baseUrl })
      return { provider, model: resolved.model, label: `${resolved.provider}/${resolved.model}` }
    },
  }
}
