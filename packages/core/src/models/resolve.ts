import { AppError } from "../errors.ts"
import { describeKey, foreignIssuer, keyReceiver, whyNoApiKey } from "./key-forms.ts"
import {
  defaultModelName,
  demoModelName,
  type ModelName,
  type ModelSurface,
  type ProviderId,
  parseModelName,
} from "./names.ts"
import { modelProviders } from "./providers.ts"
import type { WebSearchSettings } from "./web-search.ts"

/** Keys and base URLs of the installation. The names are those of the environment variables. */
export interface ModelsConfig {
  groqApiKey?: string
  groqBaseUrl?: string
  openaiApiKey?: string
  openaiBaseUrl?: string
  anthropicApiKey?: string
  anthropicBaseUrl?: string
  localApiKey?: string
  localBaseUrl?: string
  /** Maximum silence of providers. Undefined means the default. */
  timeouts?: ModelTimeouts
  /** Timeouts for `local`, whose model may first have to load, and to read its prompt on a small machine. */
  localTimeouts?: ModelTimeouts
  webSearch?: WebSearchSettings
  development: boolean
  /** Allows `scripted/…` models. */
  allowScripted: boolean
}

export interface ModelTimeouts {
  firstByteMs?: number
  idleMs?: number
}

export interface ResolvedModel extends ModelName {
  apiKey: string
  baseUrl: string | undefined
}

/**
 * Returns the model for a request with its key: the caller's, or else the installation's. A request without a model
 * gets Groq's default. Without a key for that, development uses the demo, recognisable by its name. A request that
 * names a model gets that model or an `invalid_request`, never another model.
 */
export function resolveModel(
  config: ModelsConfig,
  request: { name?: string; surface: ModelSurface; apiKey?: string },
): ResolvedModel {
  const callersKey = request.apiKey?.trim() ?? ""
  const named = request.name?.trim() || defaultModel(config, callersKey)
  const name = parseModelName(named, request.surface)
  const settings = providerSettings(config)[name.provider]

  if (name.provider === "scripted") {
    if (!config.allowScripted) throw invalid("Scripted models are for development and tests only.", named)
    return { ...name, apiKey: "", baseUrl: undefined }
  }
  if (name.provider === "local" && !settings.baseUrl) {
    throw invalid("No local model server is configured. Set LOCAL_BASE_URL.", named)
  }
  // A local server often needs no key, but its SDK requires one.
  const apiKey = callersKey || settings.apiKey?.trim() || (name.provider === "local" ? "no-key-needed" : "")
  if (apiKey === "") {
    throw invalid(missingKey(name, settings.variable), named, { missing: "api_key", provider: name.provider })
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalid("The API key contains invalid characters. Copy it again.", named)
  }
  const baseUrl = settings.baseUrl?.trim() || undefined
  requireOwnKey(name, { apiKey, baseUrl, variable: callersKey ? undefined : settings.variable })
  return { ...name, apiKey, baseUrl }
}

/** Returns the provider of a request's model if the installation has no key for it. Throws for an unknown name. */
export function providerWithoutKey(
  config: ModelsConfig,
  request: { name?: string; surface: ModelSurface },
): ProviderId | undefined {
  const { provider } = parseModelName(request.name?.trim() || defaultModel(config), request.surface)
  const isKeyless = provider === "local" || provider === "scripted"
  return isKeyless || providerSettings(config)[provider].apiKey?.trim() ? undefined : provider
}

/**
 * Returns the installation's settings of a provider: if it is reachable and has a key, and the variable that sets it.
 */
export function installedProvider(config: ModelsConfig, provider: ProviderId) {
  const { apiKey = "", baseUrl, variable } = providerSettings(config)[provider]
  const hasKey = apiKey.trim() !== "" && foreignIssuer(apiKey, keyReceiver(provider, baseUrl)) === undefined
  if (provider === "scripted")
    return { hasKey: false, needsKey: false, reachable: config.allowScripted, variable: null }
  if (provider === "local") return { hasKey, needsKey: false, reachable: Boolean(baseUrl), variable: "LOCAL_BASE_URL" }
  return { hasKey, needsKey: true, reachable: true, variable }
}

/** Returns the model for requests that name none. The health endpoint shows it. */
export function defaultModel(config: ModelsConfig, callersKey = ""): string {
  const hasKey = callersKey !== "" || Boolean(config.groqApiKey?.trim())
  return !hasKey && config.development && config.allowScripted ? demoModelName : defaultModelName
}

/** Lists the environment variables with a key that clearly belongs to another company. */
export function misplacedKeys(config: ModelsConfig): string[] {
  return Object.entries(providerSettings(config)).flatMap(([provider, { apiKey = "", baseUrl, variable }]) => {
    const issuer = foreignIssuer(apiKey, keyReceiver(provider as ProviderId, baseUrl))
    return issuer ? [`${variable} is ${describeKey(issuer)}, so it isn't used.`] : []
  })
}

/** Throws if a key clearly belongs to another company. `variable` is set if the key is the installation's. */
function requireOwnKey(
  { provider, model }: ModelName,
  key: { apiKey: string; baseUrl: string | undefined; variable: string | undefined },
): void {
  const issuer = foreignIssuer(key.apiKey, keyReceiver(provider, key.baseUrl))
  if (issuer === undefined) return
  const whose = key.variable ? `${key.variable} on the server` : "The API key that was sent"
  const notKey = key.variable ? undefined : whyNoApiKey(key.apiKey)
  if (notKey !== undefined) throw invalid(notKey, `${provider}/${model}`, { provider })
  const advice = key.variable ? "Set it to one of the provider's own." : "Choose a model of the key's provider."
  const { name } = modelProviders[provider]
  throw invalid(
    `${whose} is ${describeKey(issuer)}, and ${provider}/${model} is ${name}'s. ${advice}`,
    `${provider}/${model}`,
    { provider, key_of: issuer },
  )
}

function providerSettings(config: ModelsConfig) {
  return {
    groq: { apiKey: config.groqApiKey, baseUrl: config.groqBaseUrl, variable: "GROQ_API_KEY" },
    openai: { apiKey: config.openaiApiKey, baseUrl: config.openaiBaseUrl, variable: "OPENAI_API_KEY" },
    anthropic: { apiKey: config.anthropicApiKey, baseUrl: config.anthropicBaseUrl, variable: "ANTHROPIC_API_KEY" },
    local: { apiKey: config.localApiKey, baseUrl: config.localBaseUrl, variable: "LOCAL_API_KEY" },
    scripted: { apiKey: undefined, baseUrl: undefined, variable: "" },
  } satisfies Record<ProviderId, { apiKey?: string; baseUrl?: string; variable: string }>
}

function missingKey({ provider, model }: ModelName, variable: string): string {
  const { name } = modelProviders[provider]
  return `The model ${provider}/${model} needs an API key for ${name}. Send it as api_key or in the X-API-KEY header, or set ${variable} on the server.`
}

function invalid(message: string, model: string, details: Record<string, unknown> = {}): AppError {
  return new AppError("invalid_request", message, { model: model.slice(0, 100), ...details })
}
