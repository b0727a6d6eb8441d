import type { z } from "zod"
import type { ImageRef } from "../files/images/schema.ts"
import type { PlanLimit } from "./plan-limit.ts"
import type { WebSearch } from "./web-search.ts"

export interface ToolCall {
  id: string
  name: string
  /** Parsed arguments. Undefined if the model sent invalid JSON that couldn't be corrected. */
  args: unknown
  /** Arguments as the model wrote them. If they had to be corrected: the corrected JSON, which can be sent back. */
  rawArguments: string
  /** Remark to the model about the form of its call. It is added to the call's result. */
  note?: string
}

/** An image in a message. Its bytes are read when a request is sent, so stored messages don't contain them. */
export interface Image extends ImageRef {
  base64?: string
}

export interface UserMessage {
  role: "user"
  content: string
  /** Images for models with vision. The model sees them before the texts. */
  images?: readonly Image[] | undefined
  /**
   * Texts before the content. Other conversations share them. Providers with explicit cache breakpoints cache each text
   * separately.
   */
  prefix?: string[]
}

export type Message =
  | UserMessage
  /**
   * `raw` is the provider's own content. It is sent back unchanged if the provider requires that, as for thinking
   * blocks and signatures.
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
 * Token counts of the provider. `input` excludes cached tokens, so no token is counted twice. Unreported counts are
 * null, never 0.
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
  /** True to let the provider search the web while its model answers, if it can. Can't be combined with `output`. */
  webSearch?: boolean
  /** Schema that the answer must match as JSON. `name` is a short identifier such as `plan`. */
  output?: { name: string; schema: z.ZodType }
  maxOutputTokens?: number
  /**
   * Indexes of messages at the end of a prefix that later requests share; -1 is the system prompt. At most four. If
   * omitted, a provider with explicit cache breakpoints sets them where conversations usually continue.
   */
  cacheAfter?: number[]
  /** Key of a prefix: requests with the same key share the prefix. */
  cacheKey?: string
}

/** Part of a call's arguments, emitted while the model is writing them. `index` numbers the calls of one answer. */
export interface ToolCallDelta {
  type: "tool_call_delta"
  index: number
  name: string
  argumentsDelta: string
}

export type ModelEvent =
  | { type: "text"; text: string }
  /** Complete call. If the provider streams calls, this event follows the call's deltas. */
  | { type: "tool_call"; call: ToolCall }
  | ToolCallDelta
  /** The model is thinking. `chars` is the length of the new part of its thoughts. */
  | { type: "reasoning_delta"; chars: number }
  /** The plan's limit, as stated in the response's headers. */
  | { type: "plan_limit"; limit: PlanLimit }
  /** Search that the provider made. Emitted once the answer is complete. */
  | { type: "web_search"; search: WebSearch }
  /** `costUsd` is the cost as reported by a program. */
  | { type: "usage"; usage: Usage; costUsd?: number | undefined }
  /**
   * Always the last event, exactly once, unless the stream throws. `raw` as in `Message`. `reason` explains a refusal,
   * if the provider gave a reason.
   */
  | { type: "end"; stopReason: "end" | "tool_calls" | "max_tokens" | "refusal"; raw?: unknown; reason?: string }

export interface StreamOptions {
  signal: AbortSignal
  /** Called when a response begins. From then on, the provider's cache contains the prompt. */
  onAccepted?: (() => void) | undefined
}

/**
 * The models of a company or server. If the provider or the network fails, the stream throws `ModelError` and nothing
 * else. This includes truncated streams, so an `end` event means that the answer is complete. Leaving the loop or
 * aborting the signal closes the connection. An abort throws the signal's reason.
 */
export interface ModelProvider {
  readonly name: string
  /** Returns true if this model can search the web while it answers. */
  searchesWeb?(model: string): boolean
  /** Returns the context of a model in tokens. Undefined if the server doesn't state it, or doesn't know it yet. */
  contextTokens?(model: string, options: { signal: AbortSignal }): Promise<number | undefined>
  /** Searches the web with a dedicated model, on behalf of models that can't search. Throws like `stream`. */
  search?(query: string, options: { signal: AbortSignal }): Promise<SearchAnswer>
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>
}

/** Pages that a search found, and the search model's summary. */
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
  costUsd?: number
  searches?: WebSearch[]
  stopReason: "end" | "tool_calls" | "max_tokens" | "refusal"
  raw?: unknown
  /** Reason for a refusal, if the provider gave one. */
  reason?: string
}

/** Returns the texts of a user message. The model reads them joined together. */
export function userTexts({ prefix = [], content }: UserMessage): string[] {
  return [...prefix.map((text) => `${text}\n\n`), content]
}

/** Returns an image's bytes. Throws if the request doesn't contain them. */
export function imageBytes({ path, base64 }: Image): string {
  if (base64 === undefined) throw new Error(`The bytes of ${path} weren't read.`)
  return base64
}

/** Returns an image as a data URI. */
export function imageUrl(image: Image): string {
  return `data:${image.media_type};base64,${imageBytes(image)}`
}

/** Returns true if a message of the request has images. */
export function hasImages({ messages }: ModelRequest): boolean {
  return messages.some((message) => message.role === "user" && (message.images ?? []).length > 0)
}

/**
 * Returns true for an event that isn't part of the answer. A retry sends such events again, so they don't count as
 * output.
 */
export function isPreview({ type }: ModelEvent): boolean {
  return type === "tool_call_delta" || type === "reasoning_delta" || type === "plan_limit"
}

export interface CompleteOptions extends StreamOptions {
  onText?(text: string): void
  onToolCallDelta?(delta: ToolCallDelta): void
  onReasoning?(chars: number): void
  onPlanLimit?(limit: PlanLimit): void
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
    if (event.type === "plan_limit") options.onPlanLimit?.(event.limit)
    if (event.type === "tool_call") completion.toolCalls.push(event.call)
    if (event.type === "web_search") completion.searches = [...(completion.searches ?? []), event.search]
    if (event.type === "usage") {
      completion.usage = event.usage
      if (event.costUsd !== undefined) completion.costUsd = event.costUsd
    }
    if (event.type === "end") {
      const { stopReason, raw, reason } = event
      Object.assign(completion, { stopReason, raw }, reason !== undefined && { reason })
    }
  }
  return completion
}

export const noUsage: Usage = { input: null, cacheRead: null, cacheWrite: null, output: null }
