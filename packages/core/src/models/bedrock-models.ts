import { parseJson } from "../text/parse-json.ts"
import type { AwsAccess } from "./aws-access.ts"
import { isUnknownOperation, refusalOf } from "./bedrock-errors.ts"
import { sendToBedrock } from "./bedrock-http.ts"
import { toModelError } from "./provider-error.ts"
import { bedrockRules, foundationModelOf, isInferenceProfile } from "./providers/bedrock.ts"
import type { ListedModel } from "./schema.ts"

interface Listing {
  models: readonly string[]
  aws: AwsAccess
  baseUrl: string | undefined
  fetch: typeof fetch
  signal: AbortSignal
}

/** The models that are set up, in the given order. */
interface BedrockModels {
  /** Models that the account can use. A model is also listed if it is unknown whether the account can use it. */
  models: ListedModel[]
  /** False if that is unknown of a model, because this process may not ask, or the address doesn't answer. */
  complete: boolean
  /** The other models, each with the reason why the account can't use it. */
  problems: { model: string; reason: string }[]
}

/**
 * Asks Bedrock whether the account has access to each model that is set up, because that is free. A call would cost
 * tokens, and might subscribe the account to the model. Throws `ModelError` if Bedrock refuses to answer.
 */
export async function listBedrockModels(listing: Listing): Promise<BedrockModels> {
  const answers = await Promise.all(listing.models.map((model) => availability(listing, model)))
  const usable = answers.filter(({ problem }) => problem === undefined)
  return {
    models: usable.map(({ model, title }) => {
      return {
        name: `bedrock/${model}`,
        title,
        created_at: null,
        sees_images: bedrockRules.seesImages?.(model) ?? null,
      }
    }),
    complete: answers.every(({ isKnown }) => isKnown),
    problems: answers.flatMap(({ model, problem }) => (problem === undefined ? [] : [{ model, reason: problem }])),
  }
}

interface Availability {
  model: string
  /** Name of the inference profile. */
  title: string | null
  /** Reason why the account can't use the model. */
  problem?: string
  /** False if this process may not ask, or the address doesn't answer. */
  isKnown: boolean
}

async function availability(listing: Listing, model: string): Promise<Availability> {
  const profile = isInferenceProfile(model)
    ? await ask(listing, model, `/inference-profiles/${encodeURIComponent(model)}`)
    : {}
  if (profile.problem) return { model, title: null, problem: profile.problem, isKnown: true }
  const title = textOf(profile.fields?.inferenceProfileName)
  const id = foundationModelOf(model) ?? foundationIn(profile.fields?.models)
  // Custom and imported models belong to the account, so there is no agreement about them.
  if (id === undefined || id.startsWith("arn:")) return { model, title, isKnown: profile.fields !== undefined }
  const answer = await ask(listing, model, `/foundation-model-availability/${encodeURIComponent(id)}`)
  const problem = answer.problem ?? refusalIn(model, answer.fields)
  return { model, title, ...(problem && { problem }), isKnown: answer.fields !== undefined || problem !== undefined }
}

interface Told {
  fields?: Record<string, unknown>
  problem?: string
}

/** Sends a request about a model. Returns nothing if this process may not send it, or the address doesn't know it. */
async function ask({ aws, baseUrl, fetch, signal }: Listing, model: string, path: string): Promise<Told> {
  const call = { endpoint: "bedrock", method: "GET", path } as const
  const response = await sendToBedrock(call, { aws, baseUrl, fetch, signal })
  const text = await response.text()
  if (response.ok) return { fields: (parseJson(text) as Told["fields"]) ?? {} }
  if (isUnknownOperation(response, text)) return {}
  const about = { provider: "bedrock", model, apiKey: "", now: Date.now }
  const error = toModelError(refusalOf(response, parseJson(text)), about)
  if (response.status === 403 && error.errorType === "auth_error" && /not authorized to perform/.test(text)) return {}
  if (response.status === 404 || response.status === 400) return { problem: error.message }
  throw error
}

/** Returns the reason why an account can't use a model, according to Bedrock. */
function refusalIn(model: string, fields: Told["fields"] = {}): string | undefined {
  const { authorizationStatus, entitlementAvailability, regionAvailability, agreementAvailability } = fields
  if (regionAvailability === "NOT_AVAILABLE") return `bedrock/${model} isn't available in this region.`
  const { status } = (agreementAvailability ?? {}) as { status?: unknown }
  const isOpen = authorizationStatus !== "NOT_AUTHORIZED" && entitlementAvailability !== "NOT_AVAILABLE"
  if (isOpen && (status === undefined || status === "AVAILABLE")) return undefined
  return `The AWS account has no access to bedrock/${model} yet. An administrator of the account must open it once, in the model catalog of the Bedrock console.`
}

/** Returns the ID of the model behind an application inference profile. */
function foundationIn(models: unknown): string | undefined {
  const [first] = Array.isArray(models) ? models : []
  const arn = textOf((first as { modelArn?: unknown } | undefined)?.modelArn)
  return arn === null ? undefined : foundationModelOf(arn)
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, 200) : null
}
