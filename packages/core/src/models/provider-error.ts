import * as z from "zod"
import { ModelError, type ModelErrorType, type UsedUp } from "./errors.ts"
import { withoutKeys } from "./key-forms.ts"
import { describeLimit, isAbove, limitInRefusal, type PlanLimit } from "./plan-limit.ts"
import { modelProviders, type ProviderId } from "./providers/providers.ts"

interface FailedCall {
  provider: string
  model: string
  apiKey: string
  now: () => number
  /** True if the request contained images. */
  hasImages?: boolean
}

/**
 * Converts an SDK error to a `ModelError`. Leaves out the API key. Classifies the error by its status or code, and by
 * the provider's message only if neither is conclusive.
 */
export function toModelError(error: unknown, call: FailedCall): ModelError {
  if (error instanceof ModelError) return error
  if (error instanceof SyntaxError) {
    return new ModelError("connection_error", `${call.provider} sent an invalid response.`)
  }
  const answer = readAnswer(error)
  if (call.hasImages && refusesImages(answer)) return imageRefusal(answer, error, call)
  const limit = limitInRefusal(answer.message, answer.headers)
  const { errorType, usedUp } = classify(answer, limit)
  return new ModelError(errorType, limit ? describeLimit(titleOf(call.provider), limit) : describe(answer, call), {
    status: answer.status,
    retryAfterMs: retryAfterMs(answer.headers, call.now()),
    usedUp,
    limit,
    retryable: failedGenerations.has(answer.code) || undefined,
    cause: copyWithoutKey(error, call.apiKey),
  })
}

/**
 * Wording of servers that refuse a request because of its images. Servers that only accept text may demand a string
 * instead.
 */
const imageText = /\bimages?\b|image_url|vision|multi-?modal|mmproj|\bcontent\b[^.]{0,40}\bstring\b/i
/** Some servers report unsupported images with status 500. */
const unsupportedText = /support|mmproj|multi-?modal/i

function refusesImages({ status, message }: Answer): boolean {
  if (status === undefined || !imageText.test(message)) return false
  return status >= 500 ? unsupportedText.test(message) : [400, 404, 415, 422].includes(status)
}

function imageRefusal(answer: Answer, error: unknown, call: FailedCall): ModelError {
  const message = `${call.provider}/${call.model} refused the images: ${describe(answer, call)} Choose a model that takes such images, or leave them out.`
  const about = { status: answer.status, cause: copyWithoutKey(error, call.apiKey) }
  return new ModelError("invalid_request", message, about)
}

interface Answer {
  status: number | undefined
  code: string
  type: string
  message: string
  headers: Headers | undefined
}

const codes: Record<string, ModelErrorType> = {
  rate_limit_exceeded: "rate_limit",
  rate_limit_error: "rate_limit",
  insufficient_quota: "rate_limit",
  billing_error: "rate_limit",
  billing_hard_limit_reached: "rate_limit",
  billing_not_active: "rate_limit",
  usage_limit_reached: "rate_limit",
  invalid_api_key: "auth_error",
  account_deactivated: "auth_error",
  authentication_error: "auth_error",
  permission_error: "auth_error",
  context_length_exceeded: "context_limit",
  exceed_context_size_error: "context_limit",
  request_too_large: "context_limit",
  json_validate_failed: "invalid_request",
  tool_use_failed: "invalid_request",
  model_not_found: "invalid_request",
  model_decommissioned: "invalid_request",
  not_found_error: "invalid_request",
  api_error: "connection_error",
  overloaded_error: "connection_error",
  timeout_error: "connection_error",
  server_error: "connection_error",
  internal_server_error: "connection_error",
}

const usedUpCodes: Record<string, UsedUp> = {
  insufficient_quota: "credit",
  billing_error: "credit",
  billing_hard_limit_reached: "credit",
  billing_not_active: "credit",
  usage_limit_reached: "quota",
}

const missingModelCodes = new Set(["model_not_found", "model_decommissioned", "not_found_error"])

/** Groq returns 400 if the model's own output was malformed. The request was valid, so another sample may succeed. */
const failedGenerations = new Set(["json_validate_failed", "tool_use_failed"])

/** Errors that Anthropic and several local servers report as a generic 400, so only the message identifies them. */
const usedUpTexts: [UsedUp, RegExp][] = [
  ["credit", /\bcredit balance is too low\b|\binsufficient (credits?|balance|funds|quota)\b/i],
  ["quota", /\bAPI usage limits\b/i],
]
const contextText = /\b(prompt|input|request) is too long\b|\bcontext (length|window|size)\b|\btoo many tokens\b/i

function classify(answer: Answer, limit: PlanLimit | undefined): { errorType: ModelErrorType; usedUp?: UsedUp } {
  const { status, code, type, message } = answer
  // Groq and OpenAI report a request above the plan's limit as a rate limit. Waiting doesn't help, because the request
  // is too long.
  if (status === 413 || (limit && isAbove(limit))) return { errorType: "context_limit" }
  const usedUp = usedUpOf(answer)
  if (usedUp) return { errorType: "rate_limit", usedUp }
  const coded = own(codes, code) ?? own(codes, type)
  if (coded) return { errorType: coded }
  if (status !== 401 && status !== 403 && contextText.test(message)) return { errorType: "context_limit" }
  return { errorType: byStatus(status, type) }
}

function usedUpOf({ status, code, type, message }: Answer): UsedUp | undefined {
  const coded = own(usedUpCodes, code) ?? own(usedUpCodes, type)
  if (coded) return coded
  if (status === 402) return "credit"
  return usedUpTexts.find(([, pattern]) => pattern.test(message))?.[0]
}

function byStatus(status: number | undefined, type: string): ModelErrorType {
  if (status === undefined) return type === "invalid_request_error" ? "invalid_request" : "provider_error"
  if (status === 401 || status === 403) return "auth_error"
  if (status === 429) return "rate_limit"
  // 408 is a timeout. 498 is Groq's status for insufficient capacity.
  if (status >= 500 || status === 408 || status === 498) return "connection_error"
  if (status === 400 || status === 404 || status === 405 || status === 422) return "invalid_request"
  return "provider_error"
}

/** Parses `retry-after` (seconds or a date), or the more precise `retry-after-ms`. */
function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const fine = parseDelay(headers?.get("retry-after-ms"))
  if (fine !== undefined) return fine
  const value = headers?.get("retry-after")
  const seconds = parseDelay(value)
  if (seconds !== undefined) return seconds * 1000
  const date = Date.parse(value ?? "")
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function parseDelay(value: string | null | undefined): number | undefined {
  return value && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

/** Returns a provider's name for people. */
function titleOf(provider: string): string {
  return factsOf(provider)?.name ?? provider
}

function isCloud(provider: string): boolean {
  return factsOf(provider)?.kind === "cloud"
}

function factsOf(provider: string) {
  return Object.hasOwn(modelProviders, provider) ? modelProviders[provider as ProviderId] : undefined
}

function describe(answer: Answer, call: FailedCall): string {
  // Remove the key before truncating, because half a key would no longer match.
  const message = withoutKey(answer.message, call.apiKey).slice(0, 1000)
  if (missingModelCodes.has(answer.code) || missingModelCodes.has(answer.type)) {
    const user = isCloud(call.provider) ? "this server's role" : "this API key"
    return `${call.provider} has no model "${call.model}", or ${user} doesn't have access to it: ${message}`
  }
  if (answer.status === undefined) return `${call.provider} reported an error: ${message || "no reason given"}`
  return `${call.provider} responded with status ${answer.status}${message ? `: ${message}` : "."}`
}

const text = z.union([z.string(), z.number().transform(String)]).catch("")
const ErrorFields = z.object({ code: text, type: text, message: text })
/** Naming `Headers` in a schema would load Node's fetch client with this module, which takes 30 ms. */
const ThrownHeaders = z.custom<Headers>((value) => value instanceof Headers)
const Thrown = z.object({
  status: z.number().optional().catch(undefined),
  headers: ThrownHeaders.optional().catch(undefined),
  error: z.unknown(),
  message: z.string().catch(""),
})

/**
 * Parses the shape that all SDKs' errors share. Depending on the SDK, the body is `{error: {…}}` or its inner object.
 */
function readAnswer(error: unknown): Answer {
  const thrown = Thrown.safeParse(error instanceof Error ? { ...error, message: error.message } : {}).data
  const body = thrown?.error
  const inner = isObject(body) && isObject(body.error) ? body.error : body
  const fields = ErrorFields.parse(isObject(inner) ? inner : {})
  // Ignore the SDK's message if there is a status. Without a structured body, the message contains the body's text,
  // such as a proxy's web page.
  const message = fields.message || (thrown?.status === undefined ? (thrown?.message ?? String(error)) : "")
  return { ...fields, message, status: thrown?.status ?? statusIn(fields.code), headers: thrown?.headers }
}

/**
 * Returns the status in an error code. Several servers and routers put it there if the error occurs within a stream.
 */
function statusIn(code: string): number | undefined {
  return /^[45]\d\d$/.test(code) ? Number(code) : undefined
}

/** Removes the key of a call. Also removes other keys that a provider or proxy may include, such as its own. */
export function withoutKey(message: string, apiKey: string): string {
  return withoutKeys(apiKey === "" ? message : message.replaceAll(apiKey, "[api key]"))
}

/** Copies an error and its causes for the log. Omits fields that contain bodies and headers. */
export function copyWithoutKey(error: unknown, apiKey: string, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth === 5) return undefined
  const copy = new Error(withoutKey(error.message, apiKey), { cause: copyWithoutKey(error.cause, apiKey, depth + 1) })
  copy.name = error.name
  copy.stack = withoutKey(error.stack ?? "", apiKey)
  return copy
}

function own<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
