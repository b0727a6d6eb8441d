import type { z } from "zod"
import type { WebSearch } from "./web-search.ts"

export interface ToolCall {
  id: string
  name: string
  /** Parsed JSON of the arguments; undefined when the model sent text that is no JSON, which then stands in `rawArguments`. */
  args: unknown
  rawArguments: string
}

/** An image of a message. */
export interface Image {
  mediaType: string
  base64: string
}

export interface UserMessage {
  role: "user"
  content: string
  /** For models that see. */
  images?: Image[]
  /**
   * Texts that stand before the content, and with which other conversations begin, too: providers that cache what is marked
   * find each of them again.
   */
  prefix?: string[]
}

export type Message =
  | UserMessage
  /** `raw` is the provider's own content, sent back unchanged where it demands that (thinking blocks, signatures). */
  | { role: "assistant"; content: string; toolCalls?: ToolCall[]; raw?: unknown }
  | { role: "tool"; toolCallId: string; content: string; isError?: boolean }

/** Any of the tools must be called, or this one. */
export type ToolChoice = "required" | { tool: string }

export interface ToolSpec {
  name: string
  description: string
  parameters: z.ZodType
}

/** Tokens as the provider counted them, each in one place only: `input` is without the cache's. What was not reported is null, never 0. */
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
  /** For the next answer only; a hint, which not every provider takes. */
  toolChoice?: ToolChoice
  /** Lets the provider search the web while it answers, where it says that it can. Not with `output`. */
  webSearch?: boolean
  /** The answer must be JSON that fits this schema; `name` is a short identifier such as `plan`. */
  output?: { name: string; schema: z.ZodType }
  maxOutputTokens?: number
  /**
   * The messages after which a beginning ends that later requests share, by their index; -1 is the system prompt. At most
   * four. Without it, a provider that takes marks sets them where conversations mostly go on.
   */
  cacheAfter?: number[]
  /** Requests of the same key begin alike. */
  cacheKey?: string
}

/** A part of a call's arguments while the model writes them; `index` counts the calls of one answer. */
export interface ToolCallDelta {
  type: "tool_call_delta"
  index: number
  name: string
  argumentsDelta: string
}

export type ModelEvent =
  | { type: "text"; text: string }
  /** Whole. Its deltas, where the provider streams them, came before. */
  | { type: "tool_call"; call: ToolCall }
  | ToolCallDelta
  /** The model thinks, and wrote so many characters of it. */
  | { type: "reasoning_delta"; chars: number }
  /** A search that the provider made, once the answer is whole. */
  | { type: "web_search"; search: WebSearch }
  | { type: "usage"; usage: Usage }
  /** Always last, exactly once, unless the stream throws. `raw` as in `Message`. `reason`: that of a refusal, where it was given. */
  | { type: "end"; stopReason: "end" | "tool_calls" | "max_tokens" | "refusal"; raw?: unknown; reason?: string }

/**
 * A company's or a server's models behind one method. The stream throws `ModelError`, and nothing else, for whatever the
 * provider or the network does; a stream that the provider cuts short throws too, so an `end` means that the answer is whole.
 * Leaving the loop or aborting the signal closes the connection; an abort throws the signal's reason.
 */
export interface ModelProvider {
  readonly name: string
  /** Whether a model can search the web while it answers. */
  searchesWeb?(model: string): boolean
  /** Searches the web by a model of its own, for models that can't. Throws as `stream` does. */
  search?(query: string, options: { signal: AbortSignal }): Promise<SearchAnswer>
  stream(request: ModelRequest, options: { signal: AbortSignal }): AsyncIterable<ModelEvent>
}

/** The pages that a search found, and what the model that searched says of them. */
export interface SearchAnswer {
  model: string
  text: string
  pages: { title: string; url: string; text: string }[]
  /** The number of searches that it took. */
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
  /** The reason of a refusal, where it was given. */
  reason?: string
}

/** The texts of a user's message; joined, they are what a model reads. */
export function userTexts({ prefix = [], content }: UserMessage): string[] {
  return [...prefix.map((text) => `${text}\n\n`), content]
}

/** Whether an event only shows what is to come: it counts for nothing, and a new attempt of the call repeats it. */
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
