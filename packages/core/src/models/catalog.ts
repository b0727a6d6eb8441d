import { createHash } from "node:crypto"
import * as z from "zod"
import { parseJson } from "../text/parse-json.ts"
import { withoutSlashes } from "../text/trim.ts"
import type { Clock } from "../time.ts"
import type { AwsAccess } from "./aws-access.ts"
import { ModelError } from "./errors.ts"
import { keyOfTheWorker } from "./names.ts"
import { copyWithoutKey, toModelError } from "./provider-error.ts"
import { modelProviders, modelRules, type ProviderId } from "./providers/providers.ts"
import type { ResolvedModel } from "./resolve.ts"
import type { ListedModel } from "./schema.ts"
import { networkCode } from "./sdk-options.ts"

export interface ModelList {
  /** Models, newest first. */
  models: ListedModel[]
  /** False if the provider's models couldn't be listed. The list then contains only the default model. */
  complete: boolean
}

export type ModelCatalog = ReturnType<typeof createModelCatalog>

type Access = Parameters<ModelCatalog["list"]>[0]

interface CatalogDeps {
  clock: Pick<Clock, "monotonic">
  fetch?: typeof fetch
  /** Timeout for a provider's response. */
  timeoutMs?: number
  /** Bedrock models that are set up, and access to their account. */
  bedrock?: { models: readonly string[]; aws: AwsAccess } | undefined
}

const FRESH_MS = 5 * 60_000
const TIMEOUT_MS = 10_000
const MAX_REMEMBERED = 200
const MAX_BYTES = 4_000_000
const MAX_MODELS = 2000

export function createModelCatalog({ clock, fetch: send = fetch, timeoutMs = TIMEOUT_MS, bedrock }: CatalogDeps) {
  /** Cached lists by a hash of provider, base URL and key, oldest first. The key itself isn't stored. */
  const remembered = new Map<string, { at: number; answer: Promise<ModelList> }>()

  return {
    /**
     * Fetches the provider's models with this key, or returns the cached list unless `isFresh`. Throws `ModelError` if
     * the list can't be fetched.
     */
    async list(
      access: Pick<ResolvedModel, "provider" | "apiKey" | "baseUrl">,
      { signal, isFresh = false }: { signal: AbortSignal; isFresh?: boolean },
    ) {
      const id = identify(access)
      const known = isFresh ? undefined : remembered.get(id)
      if (known && clock.monotonic() - known.at < FRESH_MS) return known.answer
      const answer = ask(access, { signal, send, timeoutMs, bedrock })
      remembered.delete(id)
      remembered.set(id, { at: clock.monotonic(), answer })
      for (const oldest of remembered.keys()) if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest)
      try {
        return await answer
      } catch (error) {
        if (remembered.get(id)?.answer === answer) remembered.delete(id)
        throw error
      }
    },
  }
}

interface Asking extends Pick<CatalogDeps, "bedrock"> {
  signal: AbortSignal
  send: typeof fetch
}

async function ask(
  access: Access,
  { signal, timeoutMs, ...options }: Asking & { timeoutMs: number },
): Promise<ModelList> {
  const { name } = modelProviders[access.provider]
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    return await requestList(access, { ...options, signal: AbortSignal.any([signal, timeout]) })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelError) throw error
    const cause = copyWithoutKey(error, access.apiKey)
    if (timeout.aborted) {
      throw new ModelError("connection_error", `${name} didn't list its models within ${timeoutMs / 1000} s.`, {
        cause,
      })
    }
    const code = networkCode(error)
    const message = `${name} failed to list its models${code ? ` (${code})` : ""}.`
    throw new ModelError("connection_error", message, { cause })
  }
}

async function requestList(access: Access, { signal, send, bedrock }: Asking): Promise<ModelList> {
  const { provider, apiKey, baseUrl } = access
  if (provider === "bedrock" && bedrock) {
    const { listBedrockModels } = await import("./bedrock-models.ts")
    const { models, complete, problems } = await listBedrockModels({ ...bedrock, baseUrl, fetch: send, signal })
    const [problem] = problems
    if (models.length === 0 && problem) throw new ModelError("auth_error", problem.reason)
    return { models, complete }
  }
  const { modelsUrl, keyHeaders, baseUrl: usual = "" } = modelProviders[provider]
  if (!modelsUrl || apiKey === keyOfTheWorker) return onlyDefault(provider, modelsUrl === undefined)
  const url = modelsUrl(withoutSlashes(baseUrl ?? usual))
  const headers = keyHeaders?.(apiKey) ?? { authorization: `Bearer ${apiKey}` }
  // Don't follow redirects, because they would forward the key to another host.
  const response = await send(url, { headers, signal, redirect: "error" })
  if (!response.ok) throw refusal(access, response.status, await readText(response).catch(() => ""))
  return { models: modelsIn(provider, await readText(response)), complete: true }
}

function onlyDefault(provider: ProviderId, complete: boolean): ModelList {
  const { defaultModel, models } = modelProviders[provider]
  const names = models?.map((model) => `${provider}/${model}`) ?? (defaultModel ? [defaultModel] : [])
  const sees = (name: string) => modelRules[provider].seesImages?.(name.slice(provider.length + 1)) ?? null
  return {
    models: names.map((name) => ({ name, title: null, created_at: null, sees_images: sees(name) })),
    complete,
  }
}

function refusal({ provider, apiKey }: Access, status: number, text: string): ModelError {
  const { name } = modelProviders[provider]
  const refused = Object.assign(new Error(), { status, error: parseJson(text) })
  const { usedUp } = toModelError(refused, { provider, model: "", apiKey, now: Date.now })
  if (usedUp) return new ModelError("rate_limit", `${name} reports that there is no credit left.`, { status, usedUp })
  if (status === 401 || status === 403) return new ModelError("auth_error", `${name} refused the API key.`, { status })
  const type = status === 429 ? "rate_limit" : status >= 500 ? "connection_error" : "invalid_request"
  return new ModelError(type, `${name} responded with status ${status} to the request for its models.`, { status })
}

const Answer = z.object({
  data: z
    .array(
      z.object({
        id: z.string(),
        display_name: z.string().nullish().catch(null),
        created: z.number().nullish().catch(null),
        created_at: z.union([z.string(), z.number()]).nullish().catch(null),
        active: z.boolean().nullish().catch(null),
        // Format of Anthropic and compatible servers.
        capabilities: z
          .object({ image_input: z.object({ supported: z.boolean() }).optional(), vision: z.boolean().optional() })
          .nullish()
          .catch(null),
        // Format of OpenRouter and compatible servers.
        architecture: z
          .object({ input_modalities: z.array(z.string()) })
          .nullish()
          .catch(null),
      }),
    )
    .nullish(),
  // The same models in llama.cpp's format.
  models: z
    .array(z.object({ name: z.string(), capabilities: z.array(z.string()) }))
    .nullish()
    .catch(null),
})

/** Names of models that don't produce text. */
const OTHER_KINDS = /whisper|embedding|moderation|dall-e|transcribe|realtime|(^|[-/])(tts|image|sora|audio|orpheus)/i

function modelsIn(provider: ProviderId, text: string): ListedModel[] {
  const { data, models: described } = Answer.parse(JSON.parse(text))
  const listed = (data ?? []).filter(({ id, active }) => /^[\x21-\x7e]{1,180}$/.test(id) && active !== false)
  // A self-hosted server lists only what its owner installed, so don't filter its list.
  const speaking =
    modelProviders[provider].kind === "own_server" ? listed : listed.filter(({ id }) => !OTHER_KINDS.test(id))
  const models = speaking.map(({ id, display_name, created, created_at, capabilities, architecture }) => ({
    name: `${provider}/${id}`,
    title: display_name?.slice(0, 200) || null,
    created_at: toDate(created ?? created_at),
    sees_images:
      capabilities?.image_input?.supported ??
      capabilities?.vision ??
      architecture?.input_modalities.includes("image") ??
      described?.find(({ name }) => name === id)?.capabilities.includes("multimodal") ??
      modelRules[provider].seesImages?.(id) ??
      null,
  }))
  return models.sort(newestFirst).slice(0, MAX_MODELS)
}

function newestFirst(a: ListedModel, b: ListedModel): number {
  return (b.created_at ?? "").localeCompare(a.created_at ?? "") || a.name.localeCompare(b.name)
}

/** Parses a Unix timestamp in seconds, or a date string. */
function toDate(value: string | number | null | undefined): string | null {
  const date = new Date(typeof value === "number" ? value * 1000 : (value ?? Number.NaN))
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > MAX_BYTES) throw new Error("The model list is too large.")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function identify({ provider, apiKey, baseUrl = "" }: Access): string {
  return createHash("sha256")
    .update(JSON.stringify([provider, baseUrl, apiKey]))
    .digest("hex")
}
