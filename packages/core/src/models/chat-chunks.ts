import { parseLenientJson } from "../text/lenient-json.ts"
import { parseJson } from "../text/parse-json.ts"
import { thrownError } from "./check-response.ts"
import { ModelError } from "./errors.ts"
import type { ModelEvent, ToolCall, Usage } from "./provider.ts"

/**
 * Common fields of chat completion chunks from Groq, OpenAI and compatible servers. Compatible servers may omit any
 * field or send it with a different type.
 */
export interface ChatChunk {
  /** `error` if the chunk reports an error, as in older vLLM versions. */
  object?: string | null
  choices?: ChatChoice[] | null
  usage?: ChatUsage | null
  /** Groq's field for the usage of a stream. */
  x_groq?: { usage?: ChatUsage | null } | null
}

interface ChatChoice {
  index?: number | null
  /** Several servers omit a delta if it is empty, for example in the last chunk. */
  delta?: {
    /** String, or an array of text parts. */
    content?: unknown
    refusal?: unknown
    /** Thinking, in the field used by Groq and several other servers. */
    reasoning?: unknown
    /** Thinking, in the field used by DeepSeek, vLLM and llama.cpp. */
    reasoning_content?: unknown
    tool_calls?: ChatToolCall[] | null
  } | null
  finish_reason?: string | null
}

interface ChatToolCall {
  /** Some servers omit the index if they send a call as a single part. */
  index?: number | null
  id?: string | null
  /** Arguments as JSON text, or already parsed. */
  function?: { name?: string | null; arguments?: unknown } | null
}

interface ChatUsage {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown; cache_creation_tokens?: unknown } | null
  /** LiteLLM's fields for Anthropic's and Bedrock's caches. */
  cache_read_input_tokens?: unknown
  cache_creation_input_tokens?: unknown
  /** Bedrock's own names, which some proxies pass on. */
  cacheReadInputTokens?: unknown
  cacheWriteInputTokens?: unknown
}

type StopReason = Extract<ModelEvent, { type: "end" }>["stopReason"]

/**
 * Thinking before a model's tool calls. It is sent back, because servers require that if their models continue thinking
 * after the calls.
 */
export interface RawThoughts {
  reasoning_content: string
}

/** Finish reasons for answers that a server failure cut short: OpenRouter's, vLLM's and SGLang's, and DeepSeek's. */
const brokenEnds = new Set(["error", "abort", "insufficient_system_resource"])

/** Folds chunks into events. Throws if the stream ends without a `finish_reason`. */
export async function* chatEvents(
  provider: string,
  chunks: AsyncIterable<ChatChunk | null> | Iterable<ChatChunk | null>,
): AsyncGenerator<ModelEvent> {
  const calls: OpenCall[] = []
  let thoughts = ""
  let usage: Usage | undefined
  let finish: string | undefined
  let refusal = ""

  for await (const chunk of untilTruncated(chunks, () => finish !== undefined)) {
    // A few proxies send empty chunks as a keep-alive.
    if (!chunk) continue
    if (chunk.object === "error") throw thrownError(chunk)
    usage = readUsage(chunk.usage ?? chunk.x_groq?.usage) ?? usage
    const choice = chunk.choices?.find((one) => one?.index === 0) ?? chunk.choices?.[0]
    if (!choice) continue
    const delta = choice.delta ?? {}
    const refused = textOf(delta.refusal)
    const text = textOf(delta.content) || refused
    refusal += refused
    const reasoning = delta.reasoning ?? delta.reasoning_content
    if (typeof reasoning === "string" && reasoning !== "") yield { type: "reasoning_delta", chars: reasoning.length }
    if (typeof delta.reasoning_content === "string") thoughts += delta.reasoning_content
    if (text) yield { type: "text", text }
    for (const part of delta.tool_calls ?? []) yield* toolCallDelta(calls, part)
    finish = choice.finish_reason ?? finish
  }

  if (finish === undefined) throw truncatedStream(provider)
  if (brokenEnds.has(finish))
    throw new ModelError("connection_error", `${provider} ended its response with "${finish}".`)
  const isCut = finish === "length" || finish === "content_filter"
  for (const { index: _, ...call } of calls) yield { type: "tool_call", call: finishToolCall(call, { isCut }) }
  if (usage) yield { type: "usage", usage }
  const raw: RawThoughts | undefined = thoughts && calls.length > 0 ? { reasoning_content: thoughts } : undefined
  if (refusal) yield { type: "end", stopReason: "refusal", reason: refusal, ...(raw && { raw }) }
  else yield { type: "end", stopReason: stopReason(finish, calls.length > 0), ...(raw && { raw }) }
}

/** Converts a non-streamed completion to a single chunk. */
export function asChunks({ choices, usage }: Completed): ChatChunk[] {
  const whole = choices?.map(({ message, finish_reason }) => ({ delta: message, finish_reason }))
  return [{ choices: whole, usage }]
}

interface Completed extends Pick<ChatChunk, "usage"> {
  choices?: { message?: ChatChoice["delta"]; finish_reason?: string | null }[] | null
}

/** Yields the items of a stream. Ignores errors once `isWhole` returns true. */
export async function* untilTruncated<T>(
  items: AsyncIterable<T> | Iterable<T>,
  isWhole: () => boolean,
): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    if (!isWhole()) throw error
  }
}

export function truncatedStream(provider: string): ModelError {
  return new ModelError("connection_error", `${provider} closed the connection before the response was complete.`)
}

/**
 * Parses a call's arguments. If they aren't a JSON object, corrects mistakes that leave no doubt about the meaning,
 * unless the answer is cut off. Several models send an empty string or `null` for a tool without parameters.
 */
export function finishToolCall(
  call: { id: string; name: string; rawArguments: string },
  { isCut }: { isCut: boolean },
): ToolCall {
  const given = call.rawArguments.trim()
  if (given === "" || given === "null") return { ...call, args: {}, rawArguments: "" }
  const args = parseJson(given)
  const corrected = isCut || isObject(args) ? undefined : parseLenientJson(given)
  if (!isObject(corrected)) return { ...call, args }
  return { ...call, args: corrected, rawArguments: JSON.stringify(corrected), note: CORRECTED }
}

const CORRECTED =
  "The arguments weren't a valid JSON object. They could still be read, but the next ones may not: escape line breaks and quotes in strings."

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

interface OpenCall {
  /** Index that the server sent. Not necessarily unique. */
  index: number | undefined
  id: string
  name: string
  rawArguments: string
}

/** Adds a part to its call. Starts the call if necessary. */
function* toolCallDelta(calls: OpenCall[], part: ChatToolCall): Generator<ModelEvent> {
  const given = part.function?.arguments ?? ""
  const argumentsDelta = typeof given === "string" ? given : JSON.stringify(given)
  if (!part.id && !part.function?.name && argumentsDelta === "") return
  const call = continuedCall(calls, part, argumentsDelta) ?? openCall(calls, part)
  call.name ||= part.function?.name ?? ""
  call.rawArguments += argumentsDelta
  if (argumentsDelta === "") return
  yield { type: "tool_call_delta", index: calls.indexOf(call), name: call.name, argumentsDelta }
}

function openCall(calls: OpenCall[], { index, id }: ChatToolCall): OpenCall {
  const call = { index: index ?? undefined, id: id || `call_${calls.length}`, name: "", rawArguments: "" }
  calls.push(call)
  return call
}

/**
 * Returns the call that this part continues, or undefined if the part begins another call. Ollama and others give every
 * call the index 0, some servers omit the index or the ID, and some use a new ID for each part.
 */
function continuedCall(calls: OpenCall[], { index, id, ...part }: ChatToolCall, argumentsDelta: string) {
  const name = part.function?.name
  const hasIndex = typeof index === "number"
  const isSame = (call: OpenCall) => (hasIndex ? call.index === index : !id || call.id === id)
  const call = calls.findLast(isSame) ?? (hasIndex || name ? undefined : calls.at(-1))
  if (!call || !name) return call
  if (id) return call.id === id ? call : undefined
  const isWhole = argumentsDelta !== "" && parseJson(call.rawArguments) !== undefined
  return isWhole || (call.name !== "" && call.name !== name) ? undefined : call
}

function stopReason(finish: string, calledTools: boolean): StopReason {
  if (finish === "length") return "max_tokens"
  if (finish === "content_filter") return "refusal"
  // Several servers report "stop" even after tool calls.
  return calledTools ? "tool_calls" : "end"
}

/**
 * Converts usage. Unlike our `input`, `prompt_tokens` includes cached tokens. The exception is proxies that pass on
 * Anthropic's count.
 */
export function readUsage(usage: ChatUsage | null | undefined): Usage | undefined {
  if (!usage) return undefined
  const { prompt_tokens_details: details } = usage
  const cacheRead =
    countOf(details?.cached_tokens) ?? countOf(usage.cache_read_input_tokens) ?? countOf(usage.cacheReadInputTokens)
  const cacheWrite =
    countOf(usage.cache_creation_input_tokens) ??
    countOf(details?.cache_creation_tokens) ??
    countOf(usage.cacheWriteInputTokens)
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  const input = countOf(usage.prompt_tokens)
  const output = countOf(usage.completion_tokens)
  // Several servers report zeros instead of omitting the usage.
  if (!input && !output) return undefined
  const isApart = countOf(details?.cached_tokens) === null && input !== null && input < cached
  const uncached = input === null || isApart ? input : Math.max(0, input - cached)
  return { input: uncached, cacheRead, cacheWrite, output }
}

function countOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && Number.isSafeInteger(value) ? value : null
}

/** Returns a string unchanged, or the joined text parts of an array. Anything else becomes empty. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part: { text?: unknown } | null) => textOf(part?.text)).join("")
}
