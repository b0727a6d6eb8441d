import { Transform } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import type { AgentUsage } from "@switchyard/core/agents/clis/protocol"

/** Reads the usage from a response while the response passes through unchanged. */
export interface Meter {
  through: Transform
  /** Returns the reported usage, if any. */
  usage(): AgentUsage | undefined
}

/** Maximum size of a response that consists of a single JSON document. Longer documents aren't parsed. */
const BODY_LIMIT = 8 * 1024 * 1024
const LINE_LIMIT = 4 * 1024 * 1024

export function createMeter(contentType: string): Meter {
  const streamed = contentType.includes("event-stream")
  const decoder = new StringDecoder("utf8")
  let text = ""
  let skipping = false
  let usage: AgentUsage | undefined

  function line(each: string): void {
    if (!each.startsWith("data:") || !/usage/i.test(each)) return
    usage = merged(usage, parsed(each.slice("data:".length)))
  }

  function take(piece: string): void {
    if (!streamed) {
      if (text.length < BODY_LIMIT) text += piece
      return
    }
    // Search only the new chunk, because a line may be split into thousands of chunks.
    const ends = piece.split("\n")
    const rest = ends.pop() ?? ""
    for (const end of ends) {
      if (!skipping) line(text + end)
      text = ""
      skipping = false
    }
    text += rest
    if (text.length <= LINE_LIMIT) return
    text = ""
    skipping = true
  }

  return {
    through: new Transform({
      transform(chunk, _encoding, done) {
        take(decoder.write(chunk))
        done(null, chunk)
      },
    }),
    usage() {
      if (!streamed) return merged(undefined, parsed(text))
      line(text)
      return usage
    },
  }
}

/** Creates a reader that merges the usage in a response's events, each as JSON text. */
export function createUsageReader() {
  let usage: AgentUsage | undefined
  return {
    add(text: string): void {
      usage = merged(usage, parsed(text))
    },
    total: () => usage,
  }
}

type Json = { [name: string]: unknown }

function parsed(text: string): Json {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return {}
  }
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {}
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null
}

/** Merges reports of usage. Each report covers the whole response so far, so later numbers replace earlier ones. */
function merged(before: AgentUsage | undefined, message: Json): AgentUsage | undefined {
  const now = anthropic(message) ?? gemini(message) ?? openai(message)
  if (!now) return before
  return {
    input: now.input ?? before?.input ?? null,
    cache_read: now.cache_read ?? before?.cache_read ?? null,
    cache_write: now.cache_write ?? before?.cache_write ?? null,
    output: now.output ?? before?.output ?? null,
  }
}

/**
 * Reads the usage in Anthropic's format: nested in `message_start`, or at the top level in `message_delta` and in
 * responses that aren't streamed.
 */
function anthropic(message: Json): AgentUsage | undefined {
  const counts = objectOf(message.usage ?? objectOf(message.message).usage)
  const isAgentGroup =
    message.type === "message_start" || message.type === "message_delta" || message.type === "message"
  if (!isAgentGroup || Object.keys(counts).length === 0) return undefined
  return {
    input: count(counts.input_tokens),
    cache_read: count(counts.cache_read_input_tokens),
    cache_write: count(counts.cache_creation_input_tokens),
    output: count(counts.output_tokens),
  }
}

/**
 * Reads the usage in the formats of both OpenAI APIs, with the fields that LiteLLM adds. Their input count includes
 * cached tokens, which are counted separately here.
 */
function openai(message: Json): AgentUsage | undefined {
  const counts = objectOf(message.usage ?? objectOf(message.response).usage)
  const whole = count(counts.input_tokens ?? counts.prompt_tokens)
  const output = count(counts.output_tokens ?? counts.completion_tokens)
  if (whole === null && output === null) return undefined
  const details = objectOf(counts.input_tokens_details ?? counts.prompt_tokens_details)
  const cached = count(details.cached_tokens) ?? count(counts.cache_read_input_tokens)
  const written = count(counts.cache_creation_input_tokens)
  const rest = whole === null ? null : Math.max(0, whole - (cached ?? 0) - (written ?? 0))
  return { input: rest, cache_read: cached, cache_write: written, output }
}

function gemini(message: Json): AgentUsage | undefined {
  const counts = objectOf(message.usageMetadata)
  const whole = count(counts.promptTokenCount)
  if (whole === null) return undefined
  const cached = count(counts.cachedContentTokenCount)
  const said = [counts.candidatesTokenCount, counts.thoughtsTokenCount].map(count).filter((each) => each !== null)
  const output = said.length === 0 ? null : said.reduce((sum, each) => sum + each, 0)
  return { input: whole - (cached ?? 0), cache_read: cached, cache_write: null, output }
}
