import type { IncomingMessage, ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import type { AgentUsage } from "@switchyard/core/agents/clis/protocol"
import type { Problem } from "@switchyard/core/agents/clis/schema"
import { problemOf } from "@switchyard/core/agents/protocols/api-refusal"
import { createMeter, type Meter } from "./meter.ts"
import { redact } from "./redact.ts"
import { OURS } from "./request.ts"

/** Parts of an API response that affect the turn. */
export type Answered =
  | { type: "used"; usage: AgentUsage }
  | { type: "refused"; problem: Problem; final: boolean }
  | { type: "ok" }
  /** Response that ended too early, for example because the model hung. */
  | { type: "broken" }

interface Forwarding {
  /** True if the response is that of a model call. */
  isCall: boolean
  /** Removed from the response, because a custom API may repeat what it was sent. */
  secrets: string[]
  /** The agent's token, which replaces the secrets in error responses. */
  token: string
  tell: (answered: Answered) => void
  now: () => number
}

const REFUSAL_LIMIT = 1024 * 1024

/** Forwards the API's response to the agent, without the secrets, and tells its outcome. */
export async function giveBack(answer: IncomingMessage, response: ServerResponse, about: Forwarding): Promise<void> {
  const { isCall, secrets, tell } = about
  const status = answer.statusCode ?? 502
  response.writeHead(status, answer.statusMessage, keptHeaders(answer.rawHeaders, status, secrets))
  if (status >= 400) return giveRefusal(answer, response, { ...about, status })
  const meter = await openMeter(String(answer.headers["content-type"] ?? ""))
  response.flushHeaders()
  const [streamed] = await Promise.allSettled([pipeline([answer, ...secrets.map(redact), meter.through, response])])
  const usage = meter.usage()
  if (usage) tell({ type: "used", usage })
  if (isCall) tell({ type: streamed.status === "fulfilled" ? "ok" : "broken" })
}

/**
 * Reads an error response completely, because some APIs repeat the secrets in it, and because it describes the state of
 * the account.
 */
async function giveRefusal(
  answer: IncomingMessage,
  response: ServerResponse,
  { status, isCall, secrets, token, tell, now }: Forwarding & { status: number },
): Promise<void> {
  let body = ""
  for await (const chunk of answer.setEncoding("utf8")) if (body.length < REFUSAL_LIMIT) body += chunk
  for (const secret of secrets) body = body.replaceAll(secret, token)
  const { problem, final } = problemOf({ status, headers: answer.headers, body, now: now() })
  if (problem && isCall) tell({ type: "refused", problem, final })
  response.end(body)
}

/** Loads the decoder of AWS's event streams only for them. */
async function openMeter(contentType: string): Promise<Meter> {
  if (!contentType.includes("amazon.eventstream")) return createMeter(contentType)
  const { createBedrockMeter } = await import("./bedrock-meter.ts")
  return createBedrockMeter()
}

function keptHeaders(raw: string[], status: number, secrets: string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2)
    const isLength = name.toLowerCase() === "content-length"
    // The body of an error response is rewritten, so its length changes.
    const isKept = isLength ? status < 400 : !OURS.has(name.toLowerCase())
    if (isKept && !secrets.some((secret) => value.includes(secret))) kept.push(name, value)
  }
  return kept
}

/** Refuses a request on behalf of the gateway. */
export function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ error: { type: "gateway_error", message: reason } }))
}
