import { AppError } from "../errors.ts"
import { describeKey, foreignIssuer, keyReceiver, whyNoApiKey } from "./key-forms.ts"
import { type ModelName, type ModelSurface, parseModelName } from "./names.ts"
import { defaultModelName } from "./providers/groq.ts"
import { keyedProviders, modelProviders, type ProviderId, variablesOf } from "./providers/providers.ts"
import { demoModelName } from "./providers/scripted.ts"
import type { WebSearchSettings } from "./web-search.ts"

/** Installation-wide keys, base URLs and other model settings. */
export interface ModelsConfig {
  providers?: Partial<Record<ProviderId, { apiKey?: string; baseUrl?: string }>>
  /** Maximum silence of a provider. Undefined means the default. */
  timeouts?: ModelTimeouts
  /**
   * Timeouts for the operator's own server. On a small machine, loading a model and reading its prompt can take
   * minutes.
   */
  localTimeouts?: ModelTimeouts
  webSearch?: WebSearchSettings
  /** Models of the operator's AWS account. Undefined if none are set up. */
  bedrock?: BedrockSettings | undefined
  development: boolean
  /** True if `scripted/…` models are allowed. */
  allowScripted: boolean
  /**
   * Returns the path of a program that serves models. Undefined if it isn't installed. Absent if programs can't serve
   * models here: on a stage, or on a server with several users, because a program uses the login of one person.
   */
  locateProgram?: ((file: string) => string | undefined) | undefined
}

export interface BedrockSettings {
  /** Names of models and inference profiles, the default first. At least one. */
  models: readonly string[]
  region: string
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
 * Returns the model for a request, and its key: the caller's key if there is one, or else the installation's. Requests
 * that don't name a model get Groq's default. If there is no key for Groq, they get the first Bedrock model that is set
 * up. If there is none, development uses the demo model, which is recognisable by its name. A named model is never substituted: the request gets that model or fails with
 * `invalid_request`.
 */
export function resolveModel(
  config: ModelsConfig,
  request: { name?: string; surface: ModelSurface; apiKey?: string },
): ResolvedModel {
  const callersKey = request.apiKey?.trim() ?? ""
  const named = request.name?.trim() || defaultModel(config, callersKey)
  const name = parseModelName(named, request.surface)
  const settings = settingsOf(config, name.provider)
  const { kind } = modelProviders[name.provider]

  if (kind === "built_in") {
    if (!config.allowScripted) throw invalid("Scripted models are for development and tests only.", named)
    return { ...name, apiKey: "", baseUrl: undefined }
  }
  if (kind === "program") {
    requireProgram(config, name, callersKey)
    return { ...name, apiKey: "", baseUrl: undefined }
  }
  const { baseUrl, variables } = settings
  if (kind === "cloud") {
    requireSetUp(config, name, callersKey)
    return { ...name, apiKey: "", baseUrl }
  }
  if (kind === "own_server" && !baseUrl) {
    throw invalid(`No ${name.provider} model server is configured. Set ${variables.baseUrl}.`, named)
  }
  // A self-hosted server often needs no key, but its SDK requires one, so use a placeholder.
  const apiKey = callersKey || settings.apiKey || (kind === "own_server" ? "no-key-needed" : "")
  if (apiKey === "") {
    throw invalid(missingKey(name, variables.apiKey), named, { missing: "api_key", provider: name.provider })
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalid("The API key contains invalid characters. Copy and paste it again.", named)
  }
  requireOwnKey(name, { apiKey, baseUrl, variable: callersKey ? undefined : variables.apiKey })
  return { ...name, apiKey, baseUrl }
}

/** Describes a provider in this installation, including the variable that configures it. */
export function installedProvider(config: ModelsConfig, provider: ProviderId) {
  return { defaultModel: modelProviders[provider].defaultModel, ...accessOf(config, provider) }
}

function accessOf(config: ModelsConfig, provider: ProviderId) {
  const { kind } = modelProviders[provider]
  const { apiKey, baseUrl, variables } = settingsOf(config, provider)
  const hasKey = apiKey !== "" && foreignIssuer(apiKey, keyReceiver(provider, baseUrl)) === undefined
  if (kind === "hosted") return { hasKey, needsKey: true, reachable: true, variable: variables.apiKey }
  if (kind === "built_in") return { hasKey, needsKey: false, reachable: config.allowScripted, variable: null }
  if (kind === "program") return { hasKey, needsKey: false, reachable: isInstalled(config, provider), variable: null }
  if (kind === "cloud") {
    const own = firstBedrockModel(config)
    const reachable = own !== undefined
    return { hasKey: false, needsKey: false, reachable, variable: BEDROCK_MODELS, ...(own && { defaultModel: own }) }
  }
  return { hasKey, needsKey: false, reachable: baseUrl !== undefined, variable: variables.baseUrl }
}

/** Returns the model for requests that don't name one. The health endpoint shows it. */
export function defaultModel(config: ModelsConfig, callersKey = ""): string {
  const hasKey = callersKey !== "" || settingsOf(config, "groq").apiKey !== ""
  const own = hasKey ? undefined : firstBedrockModel(config)
  if (own !== undefined) return own
  return !hasKey && config.development && config.allowScripted ? demoModelName : defaultModelName
}

/** Returns the environment variables with a key that clearly belongs to another company. */
export function misplacedKeys(config: ModelsConfig): string[] {
  return keyedProviders.flatMap((provider) => {
    const { apiKey, baseUrl, variables } = settingsOf(config, provider)
    const issuer = foreignIssuer(apiKey, keyReceiver(provider, baseUrl))
    return issuer ? [`${variables.apiKey} is ${describeKey(issuer)}, so it isn't used.`] : []
  })
}

/** Throws if a key clearly belongs to another company. `variable` is set for the installation's key. */
function requireOwnKey(
  { provider, model }: ModelName,
  key: { apiKey: string; baseUrl: string | undefined; variable: string | undefined },
): void {
  const issuer = foreignIssuer(key.apiKey, keyReceiver(provider, key.baseUrl))
  if (issuer === undefined) return
  const whose = key.variable ? `${key.variable} on the server` : "The API key in the request"
  const notKey = key.variable ? undefined : whyNoApiKey(key.apiKey)
  if (notKey !== undefined) throw invalid(notKey, `${provider}/${model}`, { provider })
  const advice = key.variable ? "Replace it with a key from that provider." : "Choose a model from the key's provider."
  const { name } = modelProviders[provider]
  throw invalid(
    `${whose} is ${describeKey(issuer)}, but ${provider}/${model} needs a key from ${name}. ${advice}`,
    `${provider}/${model}`,
    { provider, key_of: issuer },
  )
}

/** Returns true if a provider is a program that can run here. */
export function isInstalled({ locateProgram }: ModelsConfig, provider: ProviderId): boolean {
  const { program } = modelProviders[provider]
  return program !== undefined && locateProgram?.(program.file) !== undefined
}

/** Environment variable with the models of Bedrock that runs may use. */
const BEDROCK_MODELS = "BEDROCK_MODELS"

/** Returns the full name of the Bedrock model for requests that don't name one. */
function firstBedrockModel({ bedrock }: ModelsConfig): string | undefined {
  const [first] = bedrock?.models ?? []
  return first === undefined ? undefined : `bedrock/${first}`
}

/** Throws if the operator didn't set up this model. Every model is paid by the operator's account. */
function requireSetUp({ bedrock }: ModelsConfig, { provider, model }: ModelName, callersKey: string): void {
  const label = `${provider}/${model}`
  const { name } = modelProviders[provider]
  if (!bedrock) throw invalid(`No models of ${name} are set up. Set ${BEDROCK_MODELS} on the server.`, label)
  if (!bedrock.models.includes(model)) {
    const known = bedrock.models.map((one) => `${provider}/${one}`).join(", ")
    throw invalid(`${label} isn't set up. Choose ${known}, or add it to ${BEDROCK_MODELS} on the server.`, label)
  }
  if (callersKey !== "") {
    throw invalid(`${label} uses the server's AWS role. Leave out the API key, or choose a model that uses it.`, label)
  }
}

/** Throws if a program can't serve this model here. */
function requireProgram(config: ModelsConfig, { provider, model }: ModelName, callersKey: string): void {
  const { name, program } = modelProviders[provider]
  const label = `${provider}/${model}`
  const otherwise = "Or choose a model whose provider has an API key."
  if (!program || !config.locateProgram) {
    const way = "Start Switchyard on your own machine with npm start, and without AUTH_MODE=token."
    throw invalid(`${label} uses the login of one person, so it can't run on this server. ${way} ${otherwise}`, label)
  }
  // The name becomes an argument of the program.
  if (!/^[A-Za-z0-9][\w.:[\]-]{0,99}$/.test(model)) throw invalid(`${name} has no model with this name.`, label)
  if (!isInstalled(config, provider)) {
    const missing = `${label} needs ${name}, but ${program.file} isn't on the PATH of the server.`
    const way = `Install it with \`${program.install}\`, log in with \`${program.login}\`, and start the server again.`
    throw invalid(`${missing} ${way} ${otherwise}`, label, { missing: "program" })
  }
  if (callersKey !== "") {
    throw invalid(`${label} uses ${name}'s own login. Leave out the API key, or choose a model that uses it.`, label)
  }
}

function settingsOf({ providers }: ModelsConfig, id: ProviderId) {
  const { apiKey = "", baseUrl = "" } = providers?.[id] ?? {}
  return { apiKey: apiKey.trim(), baseUrl: baseUrl.trim() || undefined, variables: variablesOf(id) }
}

function missingKey({ provider, model }: ModelName, variable: string): string {
  const { name } = modelProviders[provider]
  return `The model ${provider}/${model} needs an API key for ${name}. Send it as api_key or in the X-API-KEY header, or set ${variable} on the server.`
}

function invalid(message: string, model: string, details: Record<string, unknown> = {}): AppError {
  return new AppError("invalid_request", message, { model: model.slice(0, 100), ...details })
}
