import { formatCount } from "../text/format.ts"

/** Limit on an account's tokens, set by the account's plan with a provider. */
export interface PlanLimit {
  tokens: number
  per: "minute" | "day"
  /** Tokens of the refused request, as the provider counted them. */
  requested?: number
}

/** Headers that state how many tokens per minute a plan allows: OpenAI's and Groq's, Anthropic's, and Cerebras'. */
const MINUTE_HEADERS = [
  "x-ratelimit-limit-tokens",
  "anthropic-ratelimit-input-tokens-limit",
  "anthropic-ratelimit-tokens-limit",
  "x-ratelimit-limit-tokens-minute",
]

/** Returns the plan's tokens per minute from a response's headers. Undefined if the headers don't state them. */
export function limitInHeaders(headers: Headers | undefined): PlanLimit | undefined {
  const given = MINUTE_HEADERS.map((name) => Number(headers?.get(name) ?? 0)).find((tokens) => tokens > 0)
  return given === undefined || !Number.isFinite(given) ? undefined : { tokens: given, per: "minute" }
}

/**
 * Wording of a plan's limit in refusals by Groq and OpenAI, such as "on tokens per minute (TPM): Limit 8000, Requested
 * 9300".
 */
const LIMIT_TEXT =
  /tokens per (min|minute|day) \(\w{1,8}\): Limit (\d{1,12})(?:, Used \d{1,12})?, Requested ~?(\d{1,12})/

/** Returns the limit in a provider's refusal, or the one in its headers if the text doesn't name any. */
export function limitInRefusal(message: string, headers: Headers | undefined): PlanLimit | undefined {
  const [, per, tokens, requested] = LIMIT_TEXT.exec(message) ?? []
  if (per === undefined) return undefined
  const limit = { tokens: Number(tokens), per: per === "day" ? ("day" as const) : ("minute" as const) }
  // Headers state limits per minute. If the text is about a minute too, the headers' number is newer.
  const stated = limit.per === "minute" ? limitInHeaders(headers) : undefined
  return { ...limit, ...stated, requested: Number(requested) }
}

/** Returns true if a single request exceeds the plan's limit, so that waiting doesn't help. */
export function isAbove({ tokens, requested = 0 }: PlanLimit): boolean {
  return requested > tokens
}

/** Explains a plan's limit to people. If a request is too large for it, also names the request's size. */
export function describeLimit(provider: string, limit: PlanLimit): string {
  const allowed = `Your plan at ${provider} allows ${formatCount(limit.tokens, "token")} a ${limit.per}`
  return isAbove(limit) ? `${allowed}, and this request has ${limit.requested?.toLocaleString("en")}.` : `${allowed}.`
}
