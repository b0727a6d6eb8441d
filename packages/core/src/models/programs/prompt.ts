import { createHash } from "node:crypto"
import { schemaInWords } from "../chat-request.ts"
import { toJsonSchema } from "../json-schema.ts"
import { imageBytes, type Message, type ModelRequest, type ToolSpec, userTexts } from "../provider.ts"

/** Block of a user message in the form of Anthropic's API. */
type Block =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: string; data: string } }

/** A request in the form of a program that takes a system prompt and a single user message. */
interface ProgramPrompt {
  system: string
  content: Block[]
}

/**
 * Converts a request for a program that has no interface for tools and for earlier messages. Describes the tools in
 * words, and writes the conversation as a transcript. The last block never contains text of the request: programs look
 * there for commands and for `@` mentions of files to read.
 */
export function programPrompt(request: ModelRequest): ProgramPrompt {
  const { system, tools = [], output, messages } = request
  const parts = [system, tools.length > 0 ? toolsInWords(tools) : "", output ? schemaInWords(output) : ""]
  return {
    system: parts.filter((part) => part !== "").join("\n\n"),
    content: [...conversationBlocks(messages), text(endOf(request))],
  }
}

/** Marks a call in an answer. */
export const CALL = { open: "<tool_call>", close: "</tool_call>" } as const

const EXAMPLE = `${CALL.open}\n{"name": "NAME", "arguments": {}}\n${CALL.close}`

function toolsInWords(tools: readonly ToolSpec[]): string {
  const listed = tools.map(({ name, description, parameters }) =>
    JSON.stringify({ name, description, parameters: toJsonSchema(parameters) }),
  )
  return `# Tools

You have no other tools than these. To call them, end your answer with one block for each call:

${EXAMPLE}

Begin each block on a new line, without a code fence. Write the name first, then the arguments as one JSON object that fits the tool's parameters. Escape quotes and line breaks in its strings. Write nothing after the last block. The next message contains the results.

${listed.join("\n")}`
}

function conversationBlocks(messages: readonly Message[]): Block[] {
  const [only] = messages
  if (messages.length === 1 && only?.role === "user") return messageBlocks(only)
  const mark = markOf(messages)
  const names = new Map<string, string>()
  const intro = `This message contains our conversation so far. Each part begins with a line that contains ${mark}. Text without this mark belongs to the part before it.`
  const parts = messages.flatMap((message): Block[] => {
    if (message.role === "assistant") for (const { id, name } of message.toolCalls ?? []) names.set(id, name)
    const [first, ...more] = messageBlocks(message)
    const title = `[${mark} ${titleOf(message, names)}]\n`
    return first?.type === "text"
      ? [text(title + first.text), ...more]
      : [text(title), ...(first ? [first] : []), ...more]
  })
  return [text(intro), ...parts]
}

/**
 * Returns the name of the elements that contain a conversation's parts. The name is a hash of the first message, so no
 * text contains it by chance, and it stays the same while the conversation grows.
 */
function markOf([first]: readonly Message[]): string {
  const content = first?.role === "user" ? userTexts(first).join("") : ""
  return `part-${createHash("sha256").update(content).digest("hex").slice(0, 10)}`
}

function titleOf(message: Message, names: ReadonlyMap<string, string>): string {
  if (message.role === "user") return "User"
  if (message.role === "assistant") return "You"
  const name = names.get(message.toolCallId) ?? "a tool"
  return message.isError ? `Error of ${name}` : `Result of ${name}`
}

function messageBlocks(message: Message): Block[] {
  if (message.role === "tool") return [text(message.content)]
  if (message.role === "assistant") {
    const calls = (message.toolCalls ?? []).map(callText)
    return [text([message.content, ...calls].filter((part) => part !== "").join("\n"))]
  }
  const images = (message.images ?? []).map((image): Block => {
    const source = { type: "base64" as const, media_type: image.media_type, data: imageBytes(image) }
    return { type: "image", source }
  })
  return [
    ...images,
    ...userTexts(message)
      .filter((part) => part !== "")
      .map(text),
  ]
}

function callText({ name, args, rawArguments }: { name: string; args: unknown; rawArguments: string }): string {
  const given = args === undefined ? "{}" : rawArguments || "{}"
  return `${CALL.open}\n{"name": ${JSON.stringify(name)}, "arguments": ${given}}\n${CALL.close}`
}

function endOf({ tools = [], toolChoice, output }: ModelRequest): string {
  if (output) return "Answer now, with the JSON object only."
  if (tools.length === 0 || !toolChoice) return "Answer now."
  return toolChoice === "required" ? "Answer now. Call at least one tool." : `Answer now. Call ${toolChoice.tool}.`
}

function text(content: string): Block {
  return { type: "text", text: content }
}
