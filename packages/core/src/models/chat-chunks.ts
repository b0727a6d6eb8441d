import { parseJson } from "../text/parse-json.ts"
import { thrownError } from "./check-response.ts"
import { ModelError } from "./errors.ts"
import type { ModelEvent, ToolCall, Usage } from "./provider.ts"

/**
 * Common fields of chat completion chunks from Groq, OpenAI and compatible servers. Such a server may omit any field,
 * or send another type.
 */
export interface ChatChunk {
  /** `error` for an error, as sent by older vLLM versions. */
  object?: string | null
  choices?: ChatChoice[] | null
  usage?: ChatUsage | null
  /** Groq's own place for the usage of a stream. */
  x_groq?: { usage?: ChatUsage | null } | null
}

interface ChatChoice {
  index?: number | null
  /** Several servers omit it if it is empty, as at the end. */
  delta?: {
    /** A text, or its parts. */
    content?: unknown
    refusal?: unknown
    /** Name used by Groq and several servers for a model's thoughts. */
    reasoning?: unknown
    /** Name used by DeepSeek, vLLM and llama.cpp. */
    reasoning_content?: unknown
    tool_calls?: ChatToolCall[] | null
  } | null
  finish_reason?: string | null
}

interface ChatToolCall {
  /** Some servers omit it for a complete call. */
  index?: number | null
  id?: string | null
  /** Arguments as JSON text, or as the value itself. */
  function?: { name?: string | null; arguments?: unknown } | null
}

interface ChatUsage {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown } | null
}

type StopReason = Extract<ModelEvent, { type: "end" }>["stopReason"]

/** A model's thoughts before its calls. Servers whose models continue thinking after the calls require them back. */
export interface RawThoughts {
  reasoning_content: string
}

/** End reasons of answers that a server couldn't finish: from OpenRouter, vLLM and SGLang, and DeepSeek. */
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
    // A few proxies keep a connection open with empty chunks.
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
  for (const { index: _, ...call } of calls) yield { type: "tool_call", call: finishToolCall(call) }
  if (usage) yield { type: "usage", usage }
  const raw: RawThoughts | undefined = thoughts && calls.length > 0 ? { reasoning_content: thoughts } : undefined
  if (refusal) yield { type: "end", stopReason: "refusal", reason: refusal, ...(raw && { raw }) }
  else yield { type: "end", stopReason: stopReason(finish, calls.length > 0), ...(raw && { raw }) }
}

/** Converts a completion that came in one piece to the only chunk of a stream. */
export function asChunks({ choices, usage }: Completed): ChatChunk[] {
  const whole = choices?.map(({ message, finish_reason }) => ({ delta: message, finish_reason }))
  return [{ choices: whole, usage }]
}

interface Completed extends Pick<ChatChunk, "usage"> {
  choices?: { message?: ChatChoice["delta"]; finish_reason?: string | null }[] | null
}

/** Yields the items of a stream. Ignores a failure once `isWhole` is true. */
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

/** Parses a call's arguments. Several models send no text for a tool without parameters. */
export function finishToolCall(call: { id: string; name: string; rawArguments: string }): ToolCall {
  if (call.rawArguments.trim() === "") return { ...call, args: {} }
  return { ...call, args: parseJson(call.rawArguments) }
}

interface OpenCall {
  /** The server's own number of the call, which may repeat. */
  index: number | undefined
  id: string
  name: string
  rawArguments: string
}

/** Adds a part to its call. */
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
 * Returns the call that a part continues, or undefined if it begins another. Ollama and others give every call index 0,
 * some servers omit the index or the id, and some use a new id for each part.
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
  // Several servers report "stop" after a tool call.
  return calledTools ? "tool_calls" : "end"
}

/** Converts usage. `prompt_tokens` includes cached tokens, our `input` doesn't. */
export function readUsage(usage: ChatUsage | null | undefined): Usage | undefined {
  if (!usage) return undefined
  const cacheRead = countOf(usage.prompt_tokens_details?.cached_tokens)
  const input = countOf(usage.prompt_tokens)
  const output = countOf(usage.completion_tokens)
  // Several servers that don't count report zeros.
  if (!input && !output) return undefined
  const uncached = input === null ? null : Math.max(0, input - (cacheRead ?? 0))
  return { input: uncached, cacheRead, cacheWrite: null, output }
}

function countOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && Number.isSafeInteger(value) ? value : null
}

/** Returns a text, or the joined texts of its parts. Other values are empty. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part: { text?: unknown } | null) => textOf(part?.text)).join("")
}
