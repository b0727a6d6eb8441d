import { withoutSlashes } from "../text/trim.ts"
import { asChunks, chatEvents, readUsage } from "./chat-chunks.ts"
import { chatMessages, chatToolChoice, chatTools, type JsonMode, responseFormat } from "./chat-request.ts"
import { hasImages, type ModelProvider, type ModelRequest, noUsage, type SearchAnswer } from "./provider.ts"
import { type Connection, modelCall, noSdkTimeoutMs, type ProviderOptions } from "./sdk-options.ts"

export function createGroqProvider(options: ProviderOptions): ModelProvider {
  return {
    name: "groq",
    stream(request, calling) {
      const call = { ...options, provider: "groq", model: request.model, hasImages: hasImages(request) }
      return modelCall(call, calling, async function* (connection) {
        yield* chatEvents("groq", await openChunks(options, request, connection))
      })
    },
    search: (query, { signal }) => searchByCompound(options, query, signal),
  }
}

/**
 * Model that searches for models that can't search. It doesn't accept other tools, so it can't be a team member itself.
 */
const SEARCH_MODEL = "groq/compound-mini"

/** Searches with Groq's compound model: https://console.groq.com/docs/compound/built-in-tools/web-search */
async function searchByCompound(options: ProviderOptions, query: string, signal: AbortSignal): Promise<SearchAnswer> {
  const call = { ...options, provider: "groq", model: SEARCH_MODEL }
  const found: SearchAnswer = { model: SEARCH_MODEL, text: "", pages: [], searches: 0, usage: noUsage }
  const asking = modelCall(call, { signal }, async function* (connection) {
    const client = await openClient(options, connection)
    const body = {
      model: SEARCH_MODEL,
      messages: [{ role: "user" as const, content: query }],
      compound_custom: { tools: { enabled_tools: ["web_search"] } },
      stream: false as const,
    }
    const { choices, usage } = await client.chat.completions.create(body, { signal: connection.signal })
    const tools = choices[0]?.message.executed_tools ?? []
    const results = tools.flatMap(({ search_results }) => search_results?.results ?? [])
    found.text = choices[0]?.message.content ?? ""
    found.pages = results.map(({ title = "", url = "", content = "" }) => ({ title, url, text: content }))
    found.searches = tools.filter((tool) => tool.search_results).length
    found.usage = readUsage(usage) ?? noUsage
    yield { type: "end" as const, stopReason: "end" as const }
  })
  for await (const _ of asking);
  return found
}

async function openClient(options: ProviderOptions, connection: Connection) {
  const { default: Groq } = await import("groq-sdk")
  return new Groq({
    apiKey: options.apiKey,
    baseURL: sdkBaseUrl(options.baseUrl),
    maxRetries: 0,
    timeout: noSdkTimeoutMs,
    logLevel: "off",
    fetch: connection.fetch,
  })
}

/**
 * Opens a response. Groq returns 400 if a response format is combined with streaming, so structured output isn't
 * streamed.
 */
async function openChunks(options: ProviderOptions, request: ModelRequest, connection: Connection) {
  const client = await openClient(options, connection)
  const mode = jsonMode(request)
  const format = responseFormat(request.output, mode)
  const body = {
    model: request.model,
    messages: chatMessages(request, mode),
    ...chatTools(request.tools),
    ...chatToolChoice(request),
    ...format,
    ...(request.maxOutputTokens ? { max_completion_tokens: request.maxOutputTokens } : {}),
    // Otherwise, Qwen's thinking is mixed into the text.
    ...(request.model.startsWith("qwen/qwen3") ? { reasoning_format: "parsed" as const } : {}),
  }
  const { signal } = connection
  if (!("response_format" in format)) return client.chat.completions.create({ ...body, stream: true }, { signal })
  return asChunks(await client.chat.completions.create({ ...body, stream: false }, { signal }))
}

/**
 * Returns the method for enforcing a schema. Some models support constrained decoding, but never together with tools:
 * https://console.groq.com/docs/structured-outputs
 */
function jsonMode({ output, tools, model }: ModelRequest): JsonMode | undefined {
  if (!output) return undefined
  if (tools && tools.length > 0) return "prompt"
  if (/^openai\/gpt-oss-(20b|120b)$|^qwen\/qwen3\.8-27b$/.test(model)) return "strict"
  if (/^openai\/gpt-oss-|^meta-llama\/llama-4-|^moonshotai\/kimi-k2/.test(model)) return "schema"
  return "object"
}

/** Removes `/openai/v1`. Most people include it in the URL, but Groq's SDK adds it too. */
function sdkBaseUrl(url: string): string {
  return withoutSlashes(url).replace(/\/openai\/v1$/, "")
}
