import type { z } from "zod"
import type { WebSearch } from "./web-search.ts"

export interface ToolCall {
  id: string
  name: string
  /** Parsed arguments, or undefined if the model sent invalid JSON that couldn't be corrected. */
  args: unknown
  /** The arguments as the model wrote them. If they had to be corrected, the corrected JSON, which can be sent back. */
  rawArguments: string
  /** Remark for the model about the form of its call, added to the call's result. */
  note?: string
}

export interface Image {
  mediaType: string
  base64: string
}

export interface UserMessage {
  role: "user"
  content: string
  /** Images, for models with vision. */
  images?: Image[]
  /**
   * Texts before the content, shared with other conversations. Providers with explicit cache marks cache each text
   * separately.
   */
  prefix?: string[]
}

export type Message =
  | UserMessage
  /**
   * `raw` is the provider's own content. It is sent back unchanged if the provider requires that (thinking blocks,
   * signatures).
   */
  | { role: "assistant"; content: string; toolCalls?: ToolCall[]; raw?: unknown }
  | { role: "tool"; toolCallId: string; content: string; isError?: boolean }

/** Tool that the model must call: any, or the named one. */
export type ToolChoice = "required" | { tool: string }

export interface ToolSpec {
  name: string
  description: string
  parameters: z.ZodType
}

/**
 * Tokens as counted by the provider. `input` excludes cached tokens, so no token is counted twice. Unreported counts
 * are null, never 0.
 */
export interface Usage {
  input: number | null
  cacheRead: number | null
  cacheWrite: number | null
  output: number | null
}

export interface ModelRequest {
  /** The provider's own model name, without our provider prefix. */
  model: string
  system: string
  messages: Message[]
  tools?: ToolSpec[]
  /** Tool choice for the next answer only. Not every provider supports this. */
  toolChoice?: ToolChoice
  /** True to let the provider search the web while it answers, if it can. Not combinable with `output`. */
  webSearch?: boolean
  /** Schema that the answer must match as JSON. `name` is a short identifier such as `plan`. */
  output?: { name: string; schema: z.ZodType }
  maxOutputTokens?: number
  /**
   * Indexes of the messages that end a prefix shared by later requests; -1 is the system prompt. At most four. If
   * omitted, a provider with explicit cache marks sets them where conversations usually continue.
   */
  cacheAfter?: number[]
  /** Key of a prefix: requests with the same key share the prefix. */
  cacheKey?: string
}

/** Part of a call's arguments, emitted while the model writes them. `index` numbers the calls of one answer. */
export interface ToolCallDelta {
  type: "tool_call_delta"
  index: number
  name: string
  argumentsDelta: string
}

export type ModelEvent =
  | { type: "text"; text: string }
  /** Complete call. If the provider streams calls, it follows the call's deltas. */
  | { type: "tool_call"; call: ToolCall }
  | ToolCallDelta
  /** The model is thinking. `chars` is the length of the new part. */
  | { type: "reasoning_delta"; chars: number }
  /** Search by the provider, emitted once the answer is complete. */
  | { type: "web_search"; search: WebSearch }
  | { type: "usage"; usage: Usage }
  /**
   * Always the last event, exactly once, unless the stream throws. `raw` as in `Message`. `reason` explains a refusal,
   * if the provider gave a reason.
   */
  | { type: "end"; stopReason: "end" | "tool_calls" | "max_tokens" | "refusal"; raw?: unknown; reason?: string }

/**
 * The models of a company or server. The stream throws only `ModelError` for failures of the provider or network,
 * including truncated streams, so an `end` event means that the answer is complete. Leaving the loop or aborting the
 * signal closes the connection. An abort throws the signal's reason.
 */
export interface ModelProvider {
  readonly name: string
  /** Returns true if this model can search the web while it answers. */
  searchesWeb?(model: string): boolean
  /** Searches the web with a dedicated model, for models that can't search. Throws like `stream`. */
  search?(query: string, options: { signal: AbortSignal }): Promise<SearchAnswer>
  stream(request: ModelRequest, options: { signal: AbortSignal }): AsyncIterable<ModelEvent>
}

/** Pages found by a search, and the search model's summary. */
export interface SearchAnswer {
  model: string
  text: string
  pages: { title: string; url: string; text: string }[]
  searches: number
  usage: Usage
}

export interface Completion {
  text: string
  toolCalls: ToolCall[]
  usage: Usage
  searches?: WebSearch[]
  stopReason: "end" | "tool_calls" | "max_tokens" | "refusal"
  raw?: unknown
  /** Reason for a refusal, if given. */
  reason?: string
}

/** Returns the texts of a user message. Joined, they are what the model reads. */
export function userTexts({ prefix = [], content }: UserMessage): string[] {
  return [...prefix.map((text) => `${text}\n\n`), content]
}

/** Returns true for an event that only previews the answer. A retry repeats previews, so they don't count as output. */
export function isPreview({ type }: ModelEvent): boolean {
  return type === "tool_call_delta" || type === "reasoning_delta"
}

export interface CompleteOptions {
  signal: AbortSignal
  onText?(text: string): void
  onToolCallDelta?(delta: ToolCallDelta): void
  onReasoning?(chars: number): void
}

/** Runs a request to the end and collects its events. */
export async function complete(
  provider: ModelProvider,
  request: ModelRequest,
  options: CompleteOptions,
): Promise<Completion> {
  const completion: Completion = { text: "", toolCalls: [], usage: noUsage, stopReason: "end" }
  for await (const event of provider.stream(request, options)) {
    if (event.type === "text") {
      completion.text += event.text
      options.onText?.(event.text)
    }
    if (event.type === "tool_call_delta") options.onToolCallDelta?.(event)
    if (event.type === "reasoning_delta") options.onReasoning?.(event.chars)
    if (event.type === "tool_call") completion.toolCalls.push(event.call)
    if (event.type === "web_search") completion.searches = [...(completion.searches ?? []), event.search]
    if (event.type === "usage") completion.usage = event.usage
    if (event.type === "end") {
      const { stopReason, raw, reason } = event
      Object.assign(completion, { stopReason, raw }, reason !== undefined && { reason })
    }
  }
  return completion
}

export const noUsage: Usage = { input: null, cacheRead: null, cacheWrite: null, output: null }
