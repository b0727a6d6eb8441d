import type {
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from "openai/resources/responses/responses"
import { finishToolCall, truncatedStream } from "./chat-chunks.ts"
import { toJsonSchema } from "./json-schema.ts"
import { openAiSearches } from "./openai-searches.ts"
import {
  imageUrl,
  type Message,
  type ModelEvent,
  type ModelRequest,
  noUsage,
  type Usage,
  userTexts,
} from "./provider.ts"
import { DEFAULT_MAX_SEARCHES, type WebSearchSettings } from "./web-search.ts"

/** Response items as stored in a message. They are sent back unchanged, and only to OpenAI. */
interface RawItems {
  openai: ResponseOutputItem[]
}

/**
 * Returns the parameters of a response with web search. With `store: false`, OpenAI keeps nothing. The model's thinking
 * is therefore returned in encrypted form, to be sent with the next request.
 */
export function responseParams(
  request: ModelRequest,
  { maxUses = DEFAULT_MAX_SEARCHES }: WebSearchSettings = {},
): ResponseCreateParamsStreaming {
  const { tools = [], toolChoice } = request
  const functions = tools.map(({ name, description, parameters }) => {
    return { type: "function" as const, name, description, parameters: toJsonSchema(parameters), strict: false }
  })
  const choice = typeof toolChoice === "object" ? { type: "function" as const, name: toolChoice.tool } : toolChoice
  return {
    model: request.model,
    ...(request.system !== "" && { instructions: request.system }),
    input: request.messages.flatMap(inputItems),
    tools: [...functions, { type: "web_search" }],
    max_tool_calls: maxUses,
    ...(choice && { tool_choice: choice }),
    ...(request.cacheKey && { prompt_cache_key: request.cacheKey }),
    ...(request.maxOutputTokens && { max_output_tokens: request.maxOutputTokens }),
    store: false,
    include: [
      "web_search_call.action.sources",
      // Models without reasoning reject this option.
      ...(thinks(request.model) ? ["reasoning.encrypted_content" as const] : []),
    ],
    stream: true,
  }
}

/** Folds the events of a response. Throws if the response failed or the stream ended early. */
export async function* responseEvents(events: AsyncIterable<ResponseStreamEvent>): AsyncGenerator<ModelEvent> {
  const items: ResponseOutputItem[] = []
  const names = new Map<number, string>()
  for await (const event of events) {
    if (event.type === "response.output_text.delta" || event.type === "response.refusal.delta") {
      if (event.delta !== "") yield { type: "text", text: event.delta }
    }
    if (event.type === "response.reasoning_summary_text.delta" && event.delta !== "") {
      yield { type: "reasoning_delta", chars: event.delta.length }
    }
    if (event.type === "response.output_item.added" && event.item.type === "function_call") {
      names.set(event.output_index, event.item.name)
    }
    if (event.type === "response.function_call_arguments.delta") {
      const { output_index: index, delta: argumentsDelta } = event
      yield { type: "tool_call_delta", index, name: names.get(index) ?? "", argumentsDelta }
    }
    if (event.type === "response.output_item.done") items.push(event.item)
    if (event.type === "response.failed") throw failure(event.response.error)
    if (event.type === "error") throw failure({ code: event.code ?? "", message: event.message })
    if (event.type === "response.completed" || event.type === "response.incomplete") {
      yield* endOf(items, event.response)
      return
    }
  }
  throw truncatedStream("openai")
}

interface EndedResponse {
  usage?: ResponseUsage | null
  incomplete_details?: { reason?: string } | null
}

function* endOf(items: ResponseOutputItem[], { usage, incomplete_details }: EndedResponse): Generator<ModelEvent> {
  const reason = incomplete_details?.reason
  const calls = items.flatMap((item) => (item.type === "function_call" ? [item] : []))
  for (const { call_id: id, name, arguments: rawArguments } of calls) {
    const isCut = reason !== undefined
    yield { type: "tool_call", call: finishToolCall({ id, name, rawArguments }, { isCut }) }
  }
  for (const search of openAiSearches(items)) yield { type: "web_search", search }
  yield { type: "usage", usage: readUsage(usage) }
  const raw: RawItems = { openai: items }
  const refusal = refusalIn(items)
  if (refusal !== "") yield { type: "end", stopReason: "refusal", raw, reason: refusal }
  else if (reason === "content_filter") yield { type: "end", stopReason: "refusal", raw }
  else if (reason === "max_output_tokens") yield { type: "end", stopReason: "max_tokens", raw }
  else yield { type: "end", stopReason: calls.length > 0 ? "tool_calls" : "end", raw }
}

function refusalIn(items: ResponseOutputItem[]): string {
  const parts = items.flatMap((item) => (item.type === "message" ? item.content : []))
  return parts.map((part) => (part.type === "refusal" ? part.refusal : "")).join("")
}

/** Creates an error like the SDK's, which callers classify by code. */
function failure(error: { code: string; message: string } | null): Error {
  return Object.assign(new Error(error?.message ?? "The response failed."), { error, code: error?.code })
}

function inputItems(message: Message): ResponseInputItem[] {
  if (message.role === "tool") {
    return [{ type: "function_call_output", call_id: message.toolCallId, output: message.content }]
  }
  if (message.role === "user") {
    const images = (message.images ?? []).map((image) => {
      return { type: "input_image" as const, detail: "auto" as const, image_url: imageUrl(image) }
    })
    return [{ role: "user", content: [...images, { type: "input_text", text: userTexts(message).join("") }] }]
  }
  if (isItems(message.raw)) return message.raw.openai as ResponseInputItem[]
  const calls = (message.toolCalls ?? []).map(({ id, name, args, rawArguments }) => {
    const given = args === undefined ? "{}" : rawArguments || "{}"
    return { type: "function_call" as const, call_id: id, name, arguments: given }
  })
  return [...(message.content === "" ? [] : [{ role: "assistant" as const, content: message.content }]), ...calls]
}

/** Returns true if `raw` came from OpenAI. A conversation may also contain messages from other models. */
function isItems(raw: unknown): raw is RawItems {
  return typeof raw === "object" && raw !== null && "openai" in raw && Array.isArray(raw.openai)
}

function thinks(model: string): boolean {
  return /^(o\d|gpt-([5-9]|\d\d))/.test(model) && !model.includes("-chat")
}

/** Converts usage. Unlike our `input`, `input_tokens` includes cached tokens. */
function readUsage(usage: ResponseUsage | null | undefined): Usage {
  if (!usage) return noUsage
  const cacheRead = usage.input_tokens_details?.cached_tokens ?? null
  const input = usage.input_tokens - (cacheRead ?? 0)
  return { input, cacheRead, cacheWrite: null, output: usage.output_tokens }
}
