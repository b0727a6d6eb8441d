import type { IncomingHttpHeaders } from "node:http"
import { problemFrom } from "@switchyard/core/clis/problems"
import type { Problem } from "@switchyard/core/clis/schema"

interface Refusal {
  status: number
  headers: IncomingHttpHeaders
  body: string
  now: number
}

/** Longer than that nobody waits for a limit to end: the task does, and says until when. */
const PATIENCE_MS = 120_000

/**
 * What a model's API means by an answer that is none; undefined for what is between an agent and it, as a question for a
 * thing that isn't there. `final`: asking again is of no use.
 */
export function problemOf({ status, headers, body, now }: Refusal): { problem: Problem | undefined; final: boolean } {
  if (![401, 402, 403, 429].includes(status) && status < 500) return { problem: undefined, final: false }
  const resetsAt = resetOf(headers, now)
  const message = messageIn(body) ?? `The model's API answered ${status}.`
  const problem = problemFrom({
    message,
    status,
    resetsAt: resetsAt === undefined ? null : new Date(resetsAt).toISOString(),
  })
  const waitsLong = resetsAt !== undefined && resetsAt - now > PATIENCE_MS
  // A 403 may be about one model or one tool of several.
  const final = status === 401 || problem.kind === "billing" || problem.kind === "quota_exhausted" || waitsLong
  return { problem, final: final && status < 500 }
}

/** Unix milliseconds at which it may be asked again, as the headers say; of several limits the one that is used up. */
function resetOf(headers: IncomingHttpHeaders, now: number): number | undefined {
  const after = headers["retry-after"]
  const seconds = Number(after)
  if (after !== undefined && after !== "" && seconds >= 0) return now + seconds * 1000
  const date = Date.parse(after ?? "")
  if (!Number.isNaN(date)) return date
  const unified = Number(headers["anthropic-ratelimit-unified-reset"])
  if (unified > 0) return unified * 1000
  const resets = ["requests", "tokens", "input-tokens", "output-tokens"].flatMap((window) => {
    if (headers[`anthropic-ratelimit-${window}-remaining`] !== "0") return []
    const at = Date.parse(String(headers[`anthropic-ratelimit-${window}-reset`]))
    return Number.isNaN(at) ? [] : [at]
  })
  return resets.length > 0 ? Math.max(...resets) : undefined
}

function messageIn(body: string): string | undefined {
  try {
    const parsed = JSON.parse(body)
    const [first] = Array.isArray(parsed) ? parsed : [parsed]
    const message = first?.error?.message ?? first?.message ?? first?.error
    return typeof message === "string" && message !== "" ? message.slice(0, 2000) : undefined
  } catch {
    return undefined
  }
}
