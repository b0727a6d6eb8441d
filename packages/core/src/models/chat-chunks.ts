import { parseJson } from "../parse-json.ts"
import { thrownError } from "./check-response.ts"
import { ModelError } from "./errors.ts"
import type { ModelEvent, ToolCall, Usage } from "./provider.ts"

/**
 * The fields that chat completion chunks of groq, OpenAI and the servers that imitate them have in common. Such a server may leave out any
 * of them, or send another kind of value.
 */
export interface ChatChunk {
  /** `error` for one that is an error, as older vLLM's are. */
  object?: string | null
  choices?: ChatChoice[] | null
  usage?: ChatUsage | null
  /** Groq's own place for the usage of a stream. */
  x_groq?: { usage?: ChatUsage | null } | null
}

interface ChatChoice {
  index?: number | null
  /** Left out by several servers where nothing is said, as with the end. */
  delta?: {
    /** A text, or its parts. */
    content?: unknown
    refusal?: unknown
    /** Groq's and several servers' name for a model's thoughts. */
    reasoning?: unknown
    /** The name that DeepSeek, vLLM and llama.cpp use. */
    reasoning_content?: unknown
    tool_calls?: ChatToolCall[] | null
  } | null
  finish_reason?: string | null
}

interface ChatToolCall {
  /** Some servers send a whole call without it. */
  index?: number | null
  id?: string | null
  /** The arguments are JSON, or what it stands for. */
  function?: { name?: string | null; arguments?: unknown } | null
}

interface ChatUsage {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown } | null
}

type StopReason = Extract<ModelEvent, { type: "end" }>["stopReason"]

/** A model's thoughts before its calls, which servers of models that go on thinking after them want back. */
export interface RawThoughts {
  reasoning_content: string
}

/** The ends of answers that a server couldn't go on with: OpenRouter's, vLLM's and SGLang's, and DeepSeek's. */
const brokenEnds = new Set(["error", "abort", "insufficient_system_resource"])

/** Folds chunks into events. A stream without a `finish_reason` was cut, and throws. */
export async function* chatEvents(
  provider: string,
  chunks: AsyncIterable<ChatChunk | null> | Iterable<ChatChunk | null>,
): AsyncGenerator<ModelEvent> {
  const calls: OpenCall[] = []
  let thoughts = ""
  let usage: Usage | undefined
  let finish: string | undefined
  let refusal = ""

  for await (const chunk of untilCut(chunks, () => finish !== undefined)) {
    // A few proxies keep a connection open by chunks of nothing.
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
  if (brokenEnds.has(finish)) throw new ModelError("connection_error", `${provider} ended its response by "${finish}".`)
  for (const { index: _, ...call } of calls) yield { type: "tool_call", call: finishToolCall(call) }
  if (usage) yield { type: "usage", usage }
  const raw: RawThoughts | undefined = thoughts && calls.length > 0 ? { reasoning_content: thoughts } : undefined
  if (refusal) yield { type: "end", stopReason: "refusal", reason: refusal, ...(raw && { raw }) }
  else yield { type: "end", stopReason: stopReason(finish, calls.length > 0), ...(raw && { raw }) }
}

/** A completion that came in one piece, as the only chunk of a stream. */
export function asChunks({ choices, usage }: Completed): ChatChunk[] {
  const whole = choices?.map(({ message, finish_reason }) => ({ delta: message, finish_reason }))
  return [{ choices: whole, usage }]
}

interface Completed extends Pick<ChatChunk, "usage"> {
  choices?: { message?: ChatChoice["delta"]; finish_reason?: string | null }[] | null
}

/** The items of a stream that may break off once it has said all that matters: from then on, nothing that fails does harm. */
export async function* untilCut<T>(items: AsyncIterable<T> | Iterable<T>, isWhole: () => boolean): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    if (!isWhole()) throw error
  }
}

export function truncatedStream(provider: string): ModelError {
  return new ModelError("connection_error", `${provider} closed the connection before the response was complete.`)
}

/** No text at all is how several models call a tool that takes nothing. */
export function finishToolCall(call: { id: string; name: string; rawArguments: string }): ToolCall {
  if (call.rawArguments.trim() === "") return { ...call, args: {} }
  return { ...call, args: parseJson(call.rawArguments) }
}

interface OpenCall {
  /** The server's own number of it, by which it may count several calls. */
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
 * The call that a part belongs to; undefined where it begins another. Ollama and others count every call as the first, some
 * leave out the index or the id, and some have an id of its own for each part.
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
  // Several servers say "stop" after a tool call.
  return calledTools ? "tool_calls" : "end"
}

/** `prompt_tokens` counts what the cache served too; our `input` doesn't. */
export function readUsage(usage: ChatUsage | null | undefined): Usage | undefined {
  if (!usage) return undefined
  const cacheRead = countOf(usage.prompt_tokens_details?.cached_tokens)
  const input = countOf(usage.prompt_tokens)
  const output = countOf(usage.completion_tokens)
  // Several servers that don't count say so by zeros.
  if (!input && !output) return undefined
  const uncached = input === null ? null : Math.max(0, input - (cacheRead ?? 0))
  return { input: uncached, cacheRead, cacheWrite: null, output }
}

function countOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && Number.isSafeInteger(value) ? value : null
}

/** A text; what else may stand in its place has parts with texts, or is none. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part: { text?: unknown } | null) => textOf(part?.text)).join("")
}
