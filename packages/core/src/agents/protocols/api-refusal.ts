import * as z from "zod"
import { isoTime } from "../../time.ts"
import type { Problem } from "../clis/schema.ts"
import { problemFrom } from "./problems.ts"

/** Error response from a model API. */
export interface Refusal {
  status: number
  headers: { [name: string]: string | string[] | undefined }
  body: string
  now: number
}

/**
 * Maximum time to wait for a rate limit. If the wait would be longer, the task ends and reports when the limit resets.
 */
const PATIENCE_MS = 120_000

/**
 * Classifies an error from a model API. `problem` is undefined if the error only concerns the agent, such as a 404.
 * `final` is true if the request must not be retried.
 */
export function problemOf({ status, headers, body, now }: Refusal): { problem: Problem | undefined; final: boolean } {
  const error = errorIn(body, now)
  if (!isOfTheAccount(status, error)) return { problem: undefined, final: false }
  const resetsAt = error?.resetsAt ?? resetOf(headers, now) ?? resetInWords(error?.message ?? "", now)
  const problem = problemFrom({
    message: error?.message ?? `The model's API returned status ${status}.`,
    status,
    ...(error && { code: error.code }),
    // This header means that a subscription's limit is used up, even if the message suggests a different cause.
    ...(status === 429 && headers["anthropic-ratelimit-unified-status"] === "rejected" && { kind: "quota_exhausted" }),
    resetsAt: isoTime(resetsAt),
  })
  const waitsLong = resetsAt !== undefined && resetsAt - now > PATIENCE_MS
  // A 403 isn't final, because it may only concern one model or tool.
  const final = status === 401 || problem.kind === "billing" || problem.kind === "quota_exhausted" || waitsLong
  return { problem, final: final && status < 500 }
}

/** Errors about the account that some APIs report as a 400, which otherwise means a faulty request. */
const OF_THE_ACCOUNT =
  /^(?:you have reached your specified|your credit balance|billing hard limit|api key (?:not valid|expired))|^arrearage\b/i

function isOfTheAccount(status: number, error: ApiError | undefined): boolean {
  if (status >= 500 || [401, 402, 403, 408, 429].includes(status)) return true
  return (
    status === 400 && error !== undefined && [error.message ?? "", error.code].some((text) => OF_THE_ACCOUNT.test(text))
  )
}

/**
 * Returns the time for a retry according to the headers, in Unix milliseconds. If several limits are used up, returns
 * the time of the last reset.
 */
function resetOf(headers: Refusal["headers"], now: number): number | undefined {
  const unified = Number(headers["anthropic-ratelimit-unified-reset"])
  if (unified > 0 && headers["anthropic-ratelimit-unified-status"] === "rejected") return unified * 1000
  const after = headers["retry-after"]
  const seconds = Number(after)
  if (after !== undefined && after !== "" && seconds >= 0) return now + seconds * 1000
  const date = Date.parse(String(after ?? ""))
  if (!Number.isNaN(date)) return date
  if (unified > 0) return unified * 1000
  const resets = ["requests", "tokens", "input-tokens", "output-tokens"].flatMap((window) => {
    if (headers[`anthropic-ratelimit-${window}-remaining`] !== "0") return []
    const at = Date.parse(String(headers[`anthropic-ratelimit-${window}-reset`]))
    return Number.isNaN(at) ? [] : [at]
  })
  return resets.length > 0 ? Math.max(...resets) : undefined
}

/** Parses "Please try again in 7m12s." Ignores daily limits, because they are freed one request at a time. */
function resetInWords(message: string, now: number): number | undefined {
  if (/\bper day\b/i.test(message)) return undefined
  const found = /\b(?:try again|retry) (?:in|after) (?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)(m?s)\b)?/i.exec(message)
  const [hours = 0, minutes = 0, seconds = 0] = found?.slice(1, 4).map((part) => Number(part ?? 0)) ?? []
  const ms = (hours * 60 + minutes) * 60_000 + seconds * (found?.[4] === "ms" ? 1 : 1000)
  return ms > 0 ? now + ms : undefined
}

interface ApiError {
  message: string | undefined
  /** The API's own codes for the error, on one line. */
  code: string
  resetsAt: number | undefined
}

const text = z.string().catch("")
const optionalText = z.string().min(1).optional().catch(undefined)

/** Google's error details: the quota, and the time to wait. */
const Details = z
  .array(
    z.object({
      reason: text,
      retryDelay: text,
      violations: z.array(z.object({ quotaId: text })).catch([]),
    }),
  )
  .catch([])

/** Error in a response body, in the formats of several APIs. */
const ErrorBody = z.object({
  message: optionalText,
  /** The message of AWS's IAM. */
  Message: optionalText,
  type: text,
  code: text,
  /** Time of the reset, in Unix seconds, or the number of seconds until then. Only sent for Codex subscriptions. */
  resets_at: z.number().positive().optional().catch(undefined),
  resets_in_seconds: z.number().positive().optional().catch(undefined),
  details: Details,
})

function errorIn(body: string, now: number): ApiError | undefined {
  try {
    const parsed = JSON.parse(body)
    const [first] = Array.isArray(parsed) ? parsed : [parsed]
    if (typeof first?.error === "string") return { message: clipped(first.error), code: "", resetsAt: undefined }
    const { Message, message = Message, type, code, details, ...resets } = ErrorBody.parse(first?.error ?? first)
    const quotas = details.flatMap(({ violations }) => violations.map(({ quotaId }) => quotaId))
    const names = [type, code, ...details.map(({ reason }) => reason), ...quotas]
    const delay = details.flatMap(({ retryDelay }) => /^([\d.]+)s$/.exec(retryDelay)?.[1] ?? [])[0]
    // Ignore the delay that Google reports for daily quotas. The quota is still used up after that delay.
    const isOfDay = quotas.some((quota) => /PerDay/.test(quota))
    const delayed = delay === undefined ? undefined : now + Number(delay) * 1000
    return {
      message: clipped(message),
      code: names.filter(Boolean).join(" "),
      resetsAt: resetIn(resets, now) ?? (isOfDay ? nextMidnight(now, GOOGLE) : delayed) ?? planReset(message, now),
    }
  } catch {
    return undefined
  }
}

function resetIn(
  { resets_at, resets_in_seconds }: Pick<z.infer<typeof ErrorBody>, "resets_at" | "resets_in_seconds">,
  now: number,
): number | undefined {
  if (resets_at !== undefined) return resets_at * 1000
  return resets_in_seconds === undefined ? undefined : now + resets_in_seconds * 1000
}

/**
 * Returns the start of next Monday, when the weekly quota of Alibaba's plans resets. Undefined for other plans, because
 * it is unknown when they reset.
 */
function planReset(message: string | undefined, now: number): number | undefined {
  return /\bweek allocated quota exceeded/i.test(message ?? "") ? nextMidnight(now, ALIBABA, "Mon") : undefined
}

/** Time zones of the vendors' quotas. Daily and weekly quotas reset at midnight there. */
const GOOGLE = "America/Los_Angeles"
const ALIBABA = "Asia/Shanghai"
const HOUR_MS = 3_600_000

/**
 * Returns the next midnight in a time zone, on `weekday` if it is given. The zone's UTC offset must be a whole number
 * of hours.
 */
function nextMidnight(now: number, timeZone: string, weekday?: string): number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, hour: "2-digit", hourCycle: "h23", weekday: "short" })
  const isMeant = (at: number) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return parts.get("hour") === "00" && (weekday === undefined || parts.get("weekday") === weekday)
  }
  let at = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS
  while (!isMeant(at)) at += HOUR_MS
  return at
}

function clipped(message: string | undefined): string | undefined {
  return message?.slice(0, 2000)
}
