import { parseJson } from "../text/parse-json.ts"
import type { AwsAccess } from "./aws-access.ts"
import { refusalOf } from "./bedrock-errors.ts"
import { sendToBedrock } from "./bedrock-http.ts"
import { ModelError } from "./errors.ts"
import { toModelError } from "./provider-error.ts"
import { bedrock, bedrockRules, foundationModelOf, isInferenceProfile } from "./providers/bedrock.ts"
import type { ListedModel } from "./schema.ts"

interface Listing {
  models: readonly string[]
  aws: AwsAccess
  baseUrl: string | undefined
  fetch: typeof fetch
  signal: AbortSignal
  timeoutMs: number
}

/**
 * Returns the models that are set up and that the account can use, in the given order. Asks Bedrock whether the account
 * has access to each, because that is free. A call would cost tokens, and might subscribe the account to the model. A
 * model is also listed if this process may not ask. Throws `ModelError` if Bedrock can't be reached, or if the account
 * can use none of the models.
 */
export async function listBedrockModels(listing: Listing): Promise<{ models: ListedModel[]; complete: boolean }> {
  const timeout = AbortSignal.timeout(listing.timeoutMs)
  const limited = { ...listing, signal: AbortSignal.any([listing.signal, timeout]) }
  try {
    const answers = await Promise.all(listing.models.map((model) => availability(limited, model)))
    const usable = answers.filter(({ problem }) => problem === undefined)
    const [first] = answers
    if (usable.length === 0 && first?.problem) throw new ModelError("auth_error", first.problem)
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
    }
  } catch (error) {
    listing.signal.throwIfAborted()
    if (error instanceof ModelError) throw error
    const reason = timeout.aborted ? `within ${listing.timeoutMs / 1000} s` : "to the request for its models"
    throw new ModelError("connection_error", `${bedrock.name} didn't respond ${reason}.`)
  }
}

interface Availability {
  model: string
  /** Name of the inference profile. */
  title: string | null
  /** Reason why the account can't use the model. */
  problem?: string
  /** False if this process may not ask. */
  isKnown: boolean
}

async function availability(listing: Listing, model: string): Promise<Availability> {
  const profile = isInferenceProfile(model) ? await ask(listing, model, `/inference-profiles/${encoded(model)}`) : {}
  if (profile.problem) return { model, title: null, problem: profile.problem, isKnown: true }
  const title = textOf(profile.fields?.inferenceProfileName)
  const id = foundationModelOf(model) ?? foundationIn(profile.fields?.models)
  // Custom and imported models belong to the account, so there is no agreement about them.
  if (id === undefined || id.startsWith("arn:")) return { model, title, isKnown: profile.fields !== undefined }
  const answer = await ask(listing, model, `/foundation-model-availability/${encoded(id)}`)
  const problem = answer.problem ?? refusalIn(model, answer.fields)
  return { model, title, ...(problem && { problem }), isKnown: answer.fields !== undefined || problem !== undefined }
}

interface Told {
  fields?: Record<string, unknown>
  problem?: string
}

/** Sends a request about a model. Returns nothing if this process may not send it. */
async function ask({ aws, baseUrl, fetch, signal }: Listing, model: string, path: string): Promise<Told> {
  const call = { endpoint: "bedrock", method: "GET", path } as const
  const response = await sendToBedrock(call, { aws, baseUrl, fetch, signal })
  const text = await response.text()
  if (response.ok) return { fields: (parseJson(text) as Told["fields"]) ?? {} }
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

function encoded(name: string): string {
  return encodeURIComponent(name)
}
