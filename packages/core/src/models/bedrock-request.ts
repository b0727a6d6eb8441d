import { schemaInWords } from "./chat-request.ts"
import { type JsonSchema, toJsonSchema, toOutputSchema } from "./json-schema.ts"
import { type Image, imageBytes, type Message, type ModelRequest, type ToolCall, userTexts } from "./provider.ts"
import { claudeMaxTokens } from "./providers/anthropic.ts"
import { claudeNameOf, isNova, takesCachePoints, takesSchemas, takesToolChoice } from "./providers/bedrock.ts"

/** Block of a message's content, as Converse sends and receives it. */
export type Block = Record<string, unknown>

/**
 * The blocks of an answer, as they are sent back. Thinking is signed by its model, so other models don't get it.
 */
export interface RawBlocks {
  bedrock: Block[]
  model: string
}

interface Turn {
  role: "user" | "assistant"
  content: Block[]
}

const cachePoint: Block = { cachePoint: { type: "default" } }

/** Returns the name of the tool that stands for a structured answer, if the request needs one. */
export function answerToolOf(request: ModelRequest): string | undefined {
  return formOf(request) === "tool" ? request.output?.name : undefined
}

/** Returns the way to a structured answer: a required tool, constrained output, or words. Undefined for other answers. */
function formOf({ output, model }: ModelRequest): "tool" | "schema" | "words" | undefined {
  if (!output) return undefined
  if (takesToolChoice(model)) return "tool"
  return takesSchemas(model) && toOutputSchema(output.schema).closed ? "schema" : "words"
}

/** Returns the body of a request to ConverseStream. */
export function converseBody(request: ModelRequest): Record<string, unknown> {
  const { model, output } = request
  const words = output && formOf(request) === "words" ? [schemaInWords(output)] : []
  const system = [request.system, ...words].filter(isShown).join("\n\n")
  const marks = cacheMarks(request)
  const maxTokens = request.maxOutputTokens ?? defaultMaxTokens(model)
  return {
    ...(system !== "" && { system: [{ text: system }, ...(marks.has(-1) ? [cachePoint] : [])] }),
    messages: inTurns(request.messages.map((message, index) => turnOf(request, message, marks.get(index)))),
    ...(maxTokens && { inferenceConfig: { maxTokens } }),
    ...toolConfig(request),
    ...outputConfig(request),
  }
}

/** Bedrock reserves a Claude model's whole output limit from the account's quota, so the limit must not be its maximum. */
function defaultMaxTokens(model: string): number | undefined {
  const claude = claudeNameOf(model)
  return claude === undefined ? undefined : claudeMaxTokens(claude)
}

function outputConfig(request: ModelRequest) {
  const { output } = request
  if (!output || formOf(request) !== "schema") return {}
  const jsonSchema = { name: output.name, schema: JSON.stringify(toOutputSchema(output.schema).schema) }
  return { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } } }
}

/** Returns the schema of a structured answer. It is closed if that changes nothing about the schema. */
function answerSchema(output: NonNullable<ModelRequest["output"]>): JsonSchema {
  const { schema, closed } = toOutputSchema(output.schema, { keepsMinimums: true })
  return closed ? schema : toJsonSchema(output.schema)
}

/**
 * Returns the tools. Converse rejects calls and results in a conversation if no tools are defined, so the called tools
 * are then defined without parameters.
 */
function toolConfig(request: ModelRequest) {
  const { tools: given = [], output, toolChoice, model } = request
  const answer = answerToolOf(request)
  const spec = (name: string, description: string, schema: JsonSchema) =>
    toolSpec({ name, description, schema: inputSchema(model, schema) })
  const tools = given.map(({ name, description, parameters }) => spec(name, description, toJsonSchema(parameters)))
  if (output && answer) tools.push(spec(answer, "Gives the final answer.", answerSchema(output)))
  if (tools.length === 0) {
    const called = request.messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []) : [],
    )
    const names = new Set(called.map(({ name }) => name))
    tools.push(...Array.from(names, (name) => spec(name, "Can't be called any more.", { properties: {} })))
    return tools.length > 0 ? { toolConfig: { tools } } : {}
  }
  if (answer) return { toolConfig: { tools, toolChoice: given.length > 0 ? { any: {} } : { tool: { name: answer } } } }
  if (!toolChoice || output || !takesToolChoice(model)) return { toolConfig: { tools } }
  return {
    toolConfig: { tools, toolChoice: toolChoice === "required" ? { any: {} } : { tool: { name: toolChoice.tool } } },
  }
}

function toolSpec({ name, description, schema }: { name: string; description: string; schema: JsonSchema }): Block {
  return { toolSpec: { name, description: description || name, inputSchema: { json: schema } } }
}

/** Returns a tool's schema as a model accepts it. Nova only knows three fields at the top level. */
function inputSchema(model: string, { properties = {}, required = [], ...more }: JsonSchema): JsonSchema {
  const known = { type: "object", properties, ...((required as unknown[]).length > 0 && { required }) }
  return isNova(model) ? known : { ...more, ...known }
}

/** Position of a cache point in a message: after its first texts, which other conversations share, or at its end. */
type Mark = "prefix" | "end" | "both"

/**
 * Returns the messages with cache points, by index; -1 is the system prompt. At most four, which is Bedrock's limit. As
 * for Anthropic's own API, a request without tools doesn't pay for an entry that nobody reads.
 */
function cacheMarks({ model, cacheAfter, tools = [], messages, system }: ModelRequest): Map<number, Mark> {
  if (!takesCachePoints(model)) return new Map()
  if (cacheAfter) return new Map(cacheAfter.slice(0, 4).map((index) => [index, "end"]))
  if (tools.length === 0) return new Map()
  const last = messages.length - 1
  const marks = new Map<number, Mark>(system === "" ? [] : [[-1, "end"]])
  if (messages[0]?.role === "user" && messages[0].prefix) marks.set(0, "prefix")
  if (messages[last] && messages[last].role !== "assistant") marks.set(last, marks.has(last) ? "both" : "end")
  return marks
}

function turnOf(request: ModelRequest, message: Message, mark: Mark | undefined): Turn {
  const role = message.role === "assistant" ? "assistant" : "user"
  const blocks = blocksOf(request, message)
  if (mark === undefined || blocks.length === 0) return { role, content: blocks }
  const shared = mark === "end" ? 0 : blocks.length - 1
  const before = blocks.slice(0, shared)
  const after = blocks.slice(shared)
  const ends = mark === "prefix" ? after : markedAtEnd(after)
  return { role, content: before.length > 0 ? [...before, cachePoint, ...ends] : ends }
}

/** Adds a cache point after the last text, because nothing may follow an assistant's calls; or after results of tools. */
function markedAtEnd(blocks: Block[]): Block[] {
  const text = blocks.findLastIndex((block) => "text" in block)
  return blocks.toSpliced(text < 0 ? blocks.length : text + 1, 0, cachePoint)
}

function blocksOf({ model }: ModelRequest, message: Message): Block[] {
  if (message.role === "tool") {
    const { toolCallId, content, isError } = message
    const status = isError && takesToolChoice(model) ? { status: "error" } : {}
    return [{ toolResult: { toolUseId: validId(toolCallId), content: [{ text: content || "(empty)" }], ...status } }]
  }
  if (message.role === "user")
    return [...(message.images ?? []).map(imageBlock), ...userTexts(message).filter(isShown).map(textBlock)]
  if (isRawBlocks(message.raw)) {
    const { bedrock, model: author } = message.raw
    return bedrock.filter((block) => author === model || !("reasoningContent" in block))
  }
  return [...[message.content].filter(isShown).map(textBlock), ...(message.toolCalls ?? []).map(toolUse)]
}

/** Joins adjacent turns of one role, which Converse rejects. Omits empty ones. */
function inTurns(turns: Turn[]): Turn[] {
  const joined: Turn[] = []
  for (const { role, content } of turns) {
    const last = joined.at(-1)
    if (content.length === 0) continue
    if (last?.role === role) last.content.push(...content)
    else joined.push({ role, content: [...content] })
  }
  return joined
}

/** Returns true if `raw` came from Converse. A conversation may also contain messages from other models. */
function isRawBlocks(raw: unknown): raw is RawBlocks {
  return typeof raw === "object" && raw !== null && "bedrock" in raw && Array.isArray(raw.bedrock)
}

/** Converse rejects texts of nothing but white space. */
export function isShown(text: string): boolean {
  return text.trim() !== ""
}

function textBlock(text: string): Block {
  return { text }
}

function imageBlock(image: Image): Block {
  return { image: { format: image.media_type.replace("image/", ""), source: { bytes: imageBytes(image) } } }
}

/** Returns the block of a call. Converse only accepts an object as its input. */
export function toolUse({ id, name, args }: ToolCall): Block {
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args)
  return { toolUse: { toolUseId: validId(id), name, input: isObject ? args : {} } }
}

/** Replaces characters that Converse rejects in the ID of a call. Other providers may have made it. */
function validId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "call"
}
