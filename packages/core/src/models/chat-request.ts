import type { RawThoughts } from "./chat-chunks.ts"
import { type JsonSchema, toJsonSchema, toOutputSchema } from "./json-schema.ts"
import { imageUrl, type Message, type ModelRequest, type ToolSpec, type UserMessage, userTexts } from "./provider.ts"

/** Method that makes a model follow a schema: constrained decoding, a response format, or only the system prompt. */
export type JsonMode = "strict" | "schema" | "object" | "prompt"

/**
 * Converts a request's messages. `returnsThoughts` sends back the thinking before tool calls, as DeepSeek and Moonshot
 * require.
 */
export function chatMessages(
  request: ModelRequest,
  mode: JsonMode | undefined,
  { returnsThoughts = false }: { returnsThoughts?: boolean } = {},
) {
  const words = request.output && (mode === "object" || mode === "prompt") ? schemaInWords(request.output) : ""
  const system = words ? `${request.system}\n\n${words}`.trim() : request.system
  const messages = inTurns(request.messages).map((message) => chatMessage(message, returnsThoughts))
  return system === "" ? messages : [{ role: "system" as const, content: system }, ...messages]
}

export function chatTools(tools: ToolSpec[] | undefined) {
  if (!tools || tools.length === 0) return {}
  return {
    tools: tools.map((tool) => ({
      type: "function" as const,
      function: { name: tool.name, description: tool.description, parameters: toJsonSchema(tool.parameters) },
    })),
  }
}

/** Omits the tool choice if there are no tools, because servers reject that. */
export function chatToolChoice({ tools = [], toolChoice }: ModelRequest) {
  if (!toolChoice || tools.length === 0) return {}
  if (toolChoice === "required") return { tool_choice: "required" as const }
  return { tool_choice: { type: "function" as const, function: { name: toolChoice.tool } } }
}

export function responseFormat(
  output: ModelRequest["output"],
  mode: JsonMode | undefined,
  options: { keepsMinimums?: boolean } = {},
) {
  if (!output || mode === undefined || mode === "prompt") return {}
  if (mode === "object") return { response_format: { type: "json_object" as const } }
  const { schema, strict } = toOutputSchema(output.schema, options)
  const json_schema: { name: string; schema: JsonSchema; strict: boolean } = {
    name: output.name,
    schema,
    strict: mode === "strict" && strict,
  }
  return { response_format: { type: "json_schema" as const, json_schema } }
}

/** Merges adjacent user messages. Servers whose chat templates require alternating roles reject them. */
function inTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === "user" && last?.role === "user") turns[turns.length - 1] = merged(last, message)
    else turns.push(message)
  }
  return turns
}

function merged(one: UserMessage, other: UserMessage): UserMessage {
  const content = `${userTexts(one).join("")}\n\n${userTexts(other).join("")}`
  const images = [...(one.images ?? []), ...(other.images ?? [])]
  return { role: "user", content, ...(images.length > 0 && { images }) }
}

function chatMessage(message: Message, returnsThoughts: boolean) {
  if (message.role === "user") return { role: "user" as const, content: userContent(message) }
  if (message.role === "tool") {
    return { role: "tool" as const, tool_call_id: message.toolCallId, content: message.content }
  }
  const calls = message.toolCalls ?? []
  if (calls.length === 0) return { role: "assistant" as const, content: message.content }
  return {
    role: "assistant" as const,
    content: message.content || null,
    ...(returnsThoughts && isThoughts(message.raw) && { reasoning_content: message.raw.reasoning_content }),
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: "function" as const,
      // Servers parse the arguments that we send back. Replace invalid JSON, because it would make all later requests
      // fail.
      function: { name: call.name, arguments: call.args === undefined ? "{}" : call.rawArguments || "{}" },
    })),
  }
}

/**
 * Returns true if `raw` came from a chat completions server. A conversation may also contain messages from other
 * models.
 */
function isThoughts(raw: unknown): raw is RawThoughts {
  return typeof raw === "object" && raw !== null && "reasoning_content" in raw
}

function userContent(message: UserMessage) {
  const text = userTexts(message).join("")
  const { images = [] } = message
  if (images.length === 0) return text
  const parts = images.map((image) => ({ type: "image_url" as const, image_url: { url: imageUrl(image) } }))
  return [...parts, { type: "text" as const, text }]
}

/** Asks for an answer that matches a schema, in words. */
export function schemaInWords(output: NonNullable<ModelRequest["output"]>): string {
  return `Answer with one JSON object that fits this JSON Schema, and with nothing else:\n${JSON.stringify(toJsonSchema(output.schema))}`
}
