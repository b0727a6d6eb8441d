import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  WebSearchTool20250305,
} from "@anthropic-ai/sdk/resources/messages"
import { withoutSlashes } from "../text/trim.ts"
import { cached, markedAfter, withBreakpoints } from "./anthropic-cache.ts"
import { anthropicEvents, asMessageEvents } from "./anthropic-events.ts"
import { isJson } from "./check-response.ts"
import { toJsonSchema, toOutputSchema } from "./json-schema.ts"
import {
  hasImages,
  type Image,
  imageBytes,
  type Message,
  type ModelProvider,
  type ModelRequest,
  type ToolCall,
  userTexts,
} from "./provider.ts"
import { anthropicRules, claudeMaxTokens } from "./providers/anthropic.ts"
import { type Connection, modelCall, noSdkTimeoutMs, type ProviderOptions } from "./sdk-options.ts"
import { DEFAULT_MAX_SEARCHES, type WebSearchSettings } from "./web-search.ts"

export function createAnthropicProvider(options: ProviderOptions): ModelProvider {
  return {
    name: "anthropic",
    searchesWeb: (model) => anthropicRules.searchOf?.(model, options.baseUrl) === "itself",
    stream(request, calling) {
      const call = { ...options, provider: "anthropic", model: request.model, hasImages: hasImages(request) }
      return modelCall(call, calling, async function* (connection) {
        const answerTool = needsAnswerTool(request) ? request.output?.name : undefined
        const open = (blocks: object[]) => openEvents(options, continued(request, blocks), connection)
        yield* anthropicEvents(open, answerTool)
      })
    },
  }
}

/** Returns the request that continues a paused answer. It sends back the blocks so far. */
function continued(request: ModelRequest, blocks: object[]): ModelRequest {
  if (blocks.length === 0) return request
  return { ...request, messages: [...request.messages, { role: "assistant", content: "", raw: blocks }] }
}

async function openEvents(options: ProviderOptions, request: ModelRequest, connection: Connection) {
  const { default: Anthropic } = await import("@anthropic-ai/sdk")
  const client = new Anthropic({
    apiKey: options.apiKey,
    baseURL: withoutSlashes(options.baseUrl).replace(/\/v1$/, ""),
    webhookKey: null,
    openTelemetry: false,
    maxRetries: 0,
    timeout: noSdkTimeoutMs,
    logLevel: "off",
    fetch: connection.fetch,
  })
  const params = messageParams(request, options.webSearch)
  const { data, response } = await client.messages.create(params, { signal: connection.signal }).withResponse()
  // Some proxies don't support streaming, and return the whole message instead.
  return isJson(response) ? asMessageEvents(await response.json()) : data
}

function messageParams(request: ModelRequest, search?: WebSearchSettings): MessageCreateParamsStreaming {
  const messages = messageParamsOf(request.messages)
  // A request without tools is a one-off. It would pay for a cache entry that is never read.
  const isContinued = (request.tools ?? []).length > 0
  const marks = request.cacheAfter?.map((index) => messageParamsOf(request.messages.slice(0, index + 1)).length - 1)
  const isSystemMarked = marks ? marks.includes(-1) : isContinued
  return {
    model: request.model,
    max_tokens: request.maxOutputTokens ?? claudeMaxTokens(request.model),
    messages: marks ? markedAfter(messages, marks) : isContinued ? withBreakpoints(messages) : messages,
    ...(request.system === "" ? {} : { system: isSystemMarked ? [cached(textBlock(request.system))] : request.system }),
    ...toolParams(request, search),
    stream: true,
  }
}

/**
 * Constrains the output to the schema if the model and the schema allow it. Otherwise, turns the schema into a required
 * tool.
 */
function toolParams(request: ModelRequest, search?: WebSearchSettings): Partial<MessageCreateParamsStreaming> {
  const tools = (request.tools ?? []).map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: toolSchema(toJsonSchema(tool.parameters)),
  }))
  if (!request.output) {
    const all = request.webSearch ? [...tools, searchTool(search)] : tools
    return all.length > 0 ? { tools: all, ...toolChoice(request) } : {}
  }
  const { schema } = toOutputSchema(request.output.schema)
  if (!needsAnswerTool(request)) {
    return { ...(tools.length > 0 ? { tools } : {}), output_config: { format: { type: "json_schema", schema } } }
  }
  const { name } = request.output
  const input_schema = toolSchema(toJsonSchema(request.output.schema))
  const answer = { name, description: "Gives the final answer.", input_schema }
  const tool_choice = tools.length > 0 ? { type: "any" as const } : { type: "tool" as const, name }
  return { tools: [...tools, answer], tool_choice }
}

/** Returns the search tool. The cast is needed because the SDK's types cover only some of its versions. */
function searchTool({ maxUses = DEFAULT_MAX_SEARCHES, anthropicTool }: WebSearchSettings = {}): WebSearchTool20250305 {
  const type = (anthropicTool ?? "web_search_20250305") as "web_search_20250305"
  return { type, name: "web_search", max_uses: maxUses }
}

function toolChoice({ toolChoice }: ModelRequest): Pick<MessageCreateParamsStreaming, "tool_choice"> {
  if (!toolChoice) return {}
  return { tool_choice: toolChoice === "required" ? { type: "any" } : { type: "tool", name: toolChoice.tool } }
}

function needsAnswerTool(request: ModelRequest): boolean {
  if (!request.output) return false
  const beforeFormats = /^claude-(2|3|instant)|^claude-(sonnet|opus)-4(-0|-2025\d+)?$/
  return beforeFormats.test(request.model) || !toOutputSchema(request.output.schema).closed
}

function toolSchema(schema: Record<string, unknown>) {
  return { ...schema, type: "object" as const }
}

/** Converts messages. Anthropic requires the results of one turn's calls in a single message. */
function messageParamsOf(messages: Message[]): MessageParam[] {
  const params: MessageParam[] = []
  let results: ContentBlockParam[] | undefined
  for (const message of messages) {
    if (message.role !== "tool") {
      results = undefined
      params.push(...textMessage(message))
      continue
    }
    if (!results) {
      results = []
      params.push({ role: "user", content: results })
    }
    const { toolCallId, content, isError } = message
    results.push({ type: "tool_result", tool_use_id: toolCallId, content, ...(isError ? { is_error: true } : {}) })
  }
  return params
}

/** Converts a text message. Omits empty texts, because Anthropic rejects them. */
function textMessage(message: Exclude<Message, { role: "tool" }>): MessageParam[] {
  if (message.role === "user") {
    const { prefix, images = [], content } = message
    if (!prefix && images.length === 0) return [{ role: "user", content }]
    return [{ role: "user", content: [...images.map(imageBlock), ...userTexts(message).map(textBlock)] }]
  }
  const blocks = isBlocks(message.raw)
    ? message.raw
    : [textBlock(message.content), ...(message.toolCalls ?? []).map(toolUse)]
  const content = blocks.filter((block) => block.type !== "text" || block.text !== "")
  return content.length > 0 ? [{ role: "assistant", content }] : []
}

function imageBlock(image: Image): ContentBlockParam {
  const source = { type: "base64" as const, media_type: image.media_type as "image/png", data: imageBytes(image) }
  return { type: "image", source }
}

function textBlock(text: string) {
  return { type: "text" as const, text }
}

function toolUse(call: ToolCall) {
  const isObject = typeof call.args === "object" && call.args !== null && !Array.isArray(call.args)
  return { type: "tool_use" as const, id: call.id, name: call.name, input: isObject ? call.args : {} }
}

/** Returns true if `raw` came from an Anthropic model. A conversation may also contain messages from other models. */
function isBlocks(raw: unknown): raw is ContentBlockParam[] {
  return Array.isArray(raw)
}
