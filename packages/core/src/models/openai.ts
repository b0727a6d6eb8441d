import { asChunks, chatEvents } from "./chat-chunks.ts"
import { chatMessages, chatToolChoice, chatTools, type JsonMode, responseFormat } from "./chat-request.ts"
import { isJson } from "./check-response.ts"
import { readContextTokens } from "./local-context.ts"
import { responseEvents, responseParams } from "./openai-responses.ts"
import { hasImages, type ModelProvider, type ModelRequest } from "./provider.ts"
import { isOpenAi, openaiRules } from "./providers/openai.ts"
import { type Connection, modelCall, noSdkTimeoutMs, type ProviderOptions } from "./sdk-options.ts"

/**
 * Creates a provider for OpenAI's chat completions API, or, with another name, for a compatible server at `baseUrl`.
 */
export function createOpenAiProvider(options: ProviderOptions & { name?: string }): ModelProvider {
  const name = options.name ?? "openai"
  const searchesWeb = (model: string) => openaiRules.searchOf?.(model, options.baseUrl) === "itself"
  return {
    name,
    ...(name === "openai" && { searchesWeb }),
    ...(name === "local" && {
      contextTokens: (model, { signal }) =>
        readContextTokens({ baseUrl: options.baseUrl, model }, { ...options, signal }),
    }),
    stream(request, calling) {
      const call = { ...options, provider: name, model: request.model, hasImages: hasImages(request) }
      return modelCall(call, calling, async function* (connection) {
        if (name === "openai" && request.webSearch && !request.output) {
          const { responses } = await openClient(options, connection)
          const params = responseParams(request, options.webSearch)
          yield* responseEvents(await responses.create(params, { signal: connection.signal }))
        } else yield* chatEvents(name, await openChunks(options, name, request, connection))
      })
    },
  }
}

async function openClient(options: ProviderOptions, connection: Connection) {
  const { default: OpenAI } = await import("openai")
  return new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseUrl,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: noSdkTimeoutMs,
    logLevel: "off",
    fetch: connection.fetch,
  })
}

async function openChunks(options: ProviderOptions, name: string, request: ModelRequest, connection: Connection) {
  const client = await openClient(options, connection)
  const mode = jsonMode(name, request)
  const body = {
    model: request.model,
    // Don't send thoughts to OpenAI itself, because it rejects messages with unknown fields.
    messages: chatMessages(request, mode, { returnsThoughts: !isOpenAi(client.baseURL) }),
    ...chatTools(request.tools),
    // Other servers may reject a tool choice (DeepSeek's and Moonshot's thinking models do) or support only some
    // values.
    ...(isOpenAi(client.baseURL) ? chatToolChoice(request) : {}),
    // OpenAI rejects minimum lengths. Servers that people run themselves enforce them.
    ...responseFormat(request.output, mode, { keepsMinimums: name === "local" }),
    ...cacheKey(client.baseURL, request.cacheKey),
    ...outputLimit(name, request.maxOutputTokens),
    stream: true as const,
    stream_options: { include_usage: true },
  }
  const { data, response } = await client.chat.completions.create(body, { signal: connection.signal }).withResponse()
  // Some servers and proxies don't support streaming, and return the whole completion instead.
  return isJson(response) ? asChunks(await response.json()) : data
}

/**
 * Returns the method for enforcing a schema. OpenAI models that predate structured outputs get the schema in the
 * prompt. Other servers are assumed to support structured outputs, as the common ones do.
 */
function jsonMode(name: string, { output, model }: ModelRequest): JsonMode | undefined {
  if (!output) return undefined
  const legacy = /^(gpt-3\.5|gpt-4$|gpt-4-|gpt-4o-2024-05-13|chatgpt-4o|o1-(mini|preview))/
  return name === "openai" && legacy.test(model) ? "prompt" : "strict"
}

/** Returns the cache key, but only for OpenAI, because compatible servers may reject it. */
function cacheKey(baseUrl: string, key: string | undefined) {
  return isOpenAi(baseUrl) && key ? { prompt_cache_key: key } : {}
}

/**
 * Returns the output limit. OpenAI's reasoning models reject the limit's old name, but many other servers only know
 * that name.
 */
function outputLimit(name: string, limit: number | undefined) {
  if (!limit) return {}
  return name === "openai" ? { max_completion_tokens: limit } : { max_tokens: limit }
}
