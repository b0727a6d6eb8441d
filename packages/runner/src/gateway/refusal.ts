import type { IncomingHttpHeaders } from "node:http"
import { problemFrom } from "@switchyard/core/agents/clis/problems"
import type { Problem } from "@switchyard/core/agents/clis/schema"
import * as z from "zod"

interface Refusal {
  status: number
  headers: IncomingHttpHeaders
  body: string
  now: number
}

/** Limit of the wait for a rate limit; if it lasts longer, the task ends, and says until when. */
const PATIENCE_MS = 120_000

/**
 * Classifies an error of a model's API; undefined for one that concerns only the agent, such as a 404. `final`: retrying is
 * of no use.
 */
export function problemOf({ status, headers, body, now }: Refusal): { problem: Problem | undefined; final: boolean } {
  if (![401, 402, 403, 429].includes(status) && status < 500) return { problem: undefined, final: false }
  const error = errorIn(body)
  const resetsAt = error?.resetsAt ?? resetOf(headers, now)
  const problem = problemFrom({
    message: error?.message ?? `The model's API answered ${status}.`,
    status,
    ...(error && { code: error.code }),
    // A subscription's limit is used up, whatever the message calls it.
    ...(status === 429 && headers["anthropic-ratelimit-unified-status"] === "rejected" && { kind: "quota_exhausted" }),
    resetsAt: resetsAt === undefined ? null : new Date(resetsAt).toISOString(),
  })
  const waitsLong = resetsAt !== undefined && resetsAt - now > PATIENCE_MS
  // A 403 may be about one model or one tool of several.
  const final = status === 401 || problem.kind === "billing" || problem.kind === "quota_exhausted" || waitsLong
  return { problem, final: final && status < 500 }
}

/** The time of the next try according to the headers, in Unix milliseconds; of several limits, that of the used-up one. */
function resetOf(headers: IncomingHttpHeaders, now: number): number | undefined {
  const unified = Number(headers["anthropic-ratelimit-unified-reset"])
  if (unified > 0 && headers["anthropic-ratelimit-unified-status"] === "rejected") return unified * 1000
  const after = headers["retry-after"]
  const seconds = Number(after)
  if (after !== undefined && after !== "" && seconds >= 0) return now + seconds * 1000
  const date = Date.parse(after ?? "")
  if (!Number.isNaN(date)) return date
  if (unified > 0) return unified * 1000
  const resets = ["requests", "tokens", "input-tokens", "output-tokens"].flatMap((window) => {
    if (headers[`anthropic-ratelimit-${window}-remaining`] !== "0") return []
    const at = Date.parse(String(headers[`anthropic-ratelimit-${window}-reset`]))
    return Number.isNaN(at) ? [] : [at]
  })
  return resets.length > 0 ? Math.max(...resets) : undefined
}

/** The error in a body, in the formats of several APIs. */
const ErrorBody = z.object({
  message: z.string().min(1).optional().catch(undefined),
  type: z.string().catch(""),
  code: z.string().catch(""),
  /** Unix seconds; only Codex's subscriptions have it. */
  resets_at: z.number().positive().optional().catch(undefined),
})

function errorIn(
  body: string,
): { message: string | undefined; code: string; resetsAt: number | undefined } | undefined {
  try {
    const parsed = JSON.parse(body)
    const [first] = Array.isArray(parsed) ? parsed : [parsed]
    if (typeof first?.error === "string") return { message: clipped(first.error), code: "", resetsAt: undefined }
    const { message, type, code, resets_at } = ErrorBody.parse(first?.error ?? first)
    const resetsAt = resets_at === undefined ? undefined : resets_at * 1000
    return { message: clipped(message), code: `${type} ${code}`.trim(), resetsAt }
  } catch {
    return undefined
  }
}

function clipped(message: string | undefined): string | undefined {
  return message?.slice(0, 2000)
}
