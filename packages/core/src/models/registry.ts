import { AppError } from "../errors.ts"
import { createAnthropicProvider } from "./anthropic.ts"
import { type AwsAccess, defaultAwsAccess } from "./aws-access.ts"
import { createBedrockProvider } from "./bedrock.ts"
import { fetchWithoutTimeouts } from "./fetch-without-timeouts.ts"
import { createGroqProvider } from "./groq.ts"
import type { ModelSurface } from "./names.ts"
import { createOpenAiProvider } from "./openai.ts"
import type { ModelProvider } from "./provider.ts"
import type { ProviderFacts } from "./providers/provider-facts.ts"
import { modelProviders, type ProviderId } from "./providers/providers.ts"
import { type ModelsConfig, type ModelTimeouts, resolveModel } from "./resolve.ts"
import type { ProviderOptions } from "./sdk-options.ts"

export interface OpenedModel {
  provider: ModelProvider
  /** Value of `ModelRequest.model`. */
  model: string
  /** Full name, shown with the model's work. */
  label: string
}

export function createModelRegistry(
  config: ModelsConfig,
  deps: Pick<ProviderOptions, "fetch" | "now"> & {
    scripted: ModelProvider
    claudeCode?: ModelProvider | undefined
    /** Access to the AWS account with the Bedrock models. Default: the process's own. */
    aws?: AwsAccess | undefined
  },
) {
  const { scripted, claudeCode, fetch = fetchWithoutTimeouts(), now } = deps
  const aws = deps.aws ?? defaultAwsAccess(config.bedrock?.region ?? "")
  const apis = {
    anthropic: createAnthropicProvider,
    bedrock: (options) => createBedrockProvider({ ...options, aws }),
    groq: createGroqProvider,
    openai: createOpenAiProvider,
    scripted: () => scripted,
    "claude-code": () => claudeCode ?? unavailable(),
  } satisfies Record<ProviderFacts["api"], (options: ProviderOptions) => ModelProvider>

  return {
    /**
     * Resolves the model and its key without sending a request. Without a name, uses the default model. Throws
     * `invalid_request` if the name is unknown or there is no key.
     */
    open(named: string | undefined, surface: ModelSurface, callersKey?: string): OpenedModel {
      const resolved = resolveModel(config, { name: named, surface, apiKey: callersKey })
      const { provider: name, apiKey, model } = resolved
      const { api, baseUrl: usual = "" } = modelProviders[name]
      const baseUrl = resolved.baseUrl ?? usual
      const { webSearch } = config
      const provider = apis[api]({ name, fetch, now, apiKey, baseUrl, webSearch, ...timeoutsOf(config, resolved) })
      return { provider, model, label: `${name}/${model}` }
    },
  }
}

/** Throws, because a worker without programs must not receive their models. Requests were refused before. */
function unavailable(): never {
  throw new AppError("invalid_request", "Programs can't serve models on this server.")
}

const usual = { firstByteMs: 120_000, idleMs: 120_000 }
const usualOfLocal = { firstByteMs: 1_200_000, idleMs: 600_000 }

function timeoutsOf({ timeouts, localTimeouts }: ModelsConfig, { provider }: { provider: ProviderId }) {
  const isLocal = modelProviders[provider].kind === "own_server"
  const { firstByteMs, idleMs } = isLocal ? merged(usualOfLocal, localTimeouts) : merged(usual, timeouts)
  return { firstByteTimeoutMs: firstByteMs, idleTimeoutMs: idleMs }
}

function merged(all: Required<ModelTimeouts>, { firstByteMs, idleMs }: ModelTimeouts = {}): Required<ModelTimeouts> {
  return { firstByteMs: firstByteMs ?? all.firstByteMs, idleMs: idleMs ?? all.idleMs }
}
