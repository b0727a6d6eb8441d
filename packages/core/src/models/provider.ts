import type { z } from "zod"
import type { WebSearch } from "./web-search.ts"

export interface ToolCall {
  id: string
  name: string
  /** Parsed arguments, or undefined if the model sent invalid JSON, which is then in `rawArguments`. */
  args: unknown
  rawArguments: string
}

export interface Image {
  mediaType: string
  base64: string
}

export interface UserMessage {
  role: "user"
  content: string
  /** For models with vision. */
  images?: Image[]
  /**
   * Texts before the content that other conversations share. Providers that cache marked prefixes find each of them
   * again.
   */
  prefix?: string[]
}

export type Message =
  | UserMessage
  /**
   * `raw` is the provider's own content, sent back unchanged if the provider requires it (thinking blocks, signatures).
   */
  | { role: "assistant"; content: string; toolCalls?: ToolCall[]; raw?: unknown }
  | { role: "tool"; toolCallId: string; content: string; isError?: boolean }

/** Requires a call of any tool, or of this one. */
export type ToolChoice = "required" | { tool: string }

export interface ToolSpec {
  name: string
  description: string
  parameters: z.ZodType
}

/**
 * Tokens as counted by the provider, each counted once: `input` excludes cached tokens. Unreported counts are null,
 * never 0.
 */
export interface Usage {
  input: number | null
  cacheRead: number | null
  cacheWrite: number | null
  output: number | null
}

export interface ModelRequest {
  /** The provider's own name of the model, without our provider prefix. */
  model: string
  system: string
  messages: Message[]
  tools?: ToolSpec[]
  /** Hint for the next answer only. Not every provider supports it. */
  toolChoice?: ToolChoice
  /** Lets the provider search the web while it answers, if it supports that. Not with `output`. */
  webSearch?: boolean
  /** Requires an answer in JSON that matches this schema. `name` is a short identifier such as `plan`. */
  output?: { name: string; schema: z.ZodType }
  maxOutputTokens?: number
  /**
   * Indexes of messages that end a prefix shared by later requests; -1 is the system prompt. At most four. Without it,
   * a provider that supports marks puts them where conversations usually continue.
   */
  cacheAfter?: number[]
  /** Requests with the same key share a prefix. */
  cacheKey?: string
}

/** Part of a call's arguments while the model writes them. `index` counts the calls of one answer. */
export interface ToolCallDelta {
  type: "tool_call_delta"
  index: number
  name: string
  argumentsDelta: string
}

export type ModelEvent =
  | { type: "text"; text: string }
  /** Complete call, after its deltas if the provider streams them. */
  | { type: "tool_call"; call: ToolCall }
  | ToolCallDelta
  /** The model is thinking, and wrote this many characters. */
  | { type: "reasoning_delta"; chars: number }
  /** Search made by the provider, emitted once the answer is complete. */
  | { type: "web_search"; search: WebSearch }
  | { type: "usage"; usage: Usage }
  /**
   * Always last, exactly once, unless the stream throws. `raw` as in `Message`. `reason` explains a refusal, if given.
   */
  | { type: "end"; stopReason: "end" | "tool_calls" | "max_tokens" | "refusal"; raw?: unknown; reason?: string }

/**
 * Models of a company or server behind one method. The stream throws only `ModelError` for failures of the provider or
 * network, including a stream that is cut short, so an `end` means that the answer is complete. Leaving the loop or
 * aborting the signal closes the connection. An abort throws the signal's reason.
 */
export interface ModelProvider {
  readonly name: string
  /** True if a model can search the web while it answers. */
  searchesWeb?(model: string): boolean
  /** Searches the web with a model of its own, for models that can't search. Throws like `stream`. */
  search?(query: string, options: { signal: AbortSignal }): Promise<SearchAnswer>
  stream(request: ModelRequest, options: { signal: AbortSignal }): AsyncIterable<ModelEvent>
}

/** Pages found by a search, with the search model's summary. */
export interface SearchAnswer {
  model: string
  text: string
  pages: { title: string; url: string; text: string }[]
  /** Number of searches made. */
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

/** Returns the texts of a user message. Joined, they are what a model reads. */
export function userTexts({ prefix = [], content }: UserMessage): string[] {
  return [...prefix.map((text) => `${text}\n\n`), content]
}

/** True for an event that only previews the answer. It counts for nothing, and a retry repeats it. */
export function isPreview({ type }: ModelEvent): boolean {
  return type === "tool_call_delta" || type === "reasoning_delta"
}

export interface CompleteOptions {
  signal: AbortSignal
  onText?(text: string): void
  onToolCallDelta?(delta: ToolCallDelta): void
  onReasoning?(chars: number): void
}

/** Runs a request to its end. */
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
