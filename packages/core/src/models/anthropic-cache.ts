import type { CacheControlEphemeral, ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources/messages"

const breakpoint: CacheControlEphemeral = { type: "ephemeral" }

/**
 * Marks a block to be cached with all that comes before it: tools, system prompt and messages, in this order. A request may
 * have four such marks. What is too short (1,024 to 4,096 tokens, by model) is not cached, and nothing else happens.
 */
export function cached<Block extends object>(block: Block): Block & { cache_control: CacheControlEphemeral } {
  return { ...block, cache_control: breakpoint }
}

/**
 * Marks where the first message's prefix ends, for other conversations, and the last message, for this one. From each mark, a
 * cached beginning is looked for in the 20 blocks before it: a prefix may grow by so many texts from one request to the next.
 */
export function withBreakpoints(messages: MessageParam[]): MessageParam[] {
  const last = messages.length - 1
  return messages.map((message, index) => {
    const blocks = index === 0 || index === last ? blocksOf(message) : undefined
    if (!blocks) return message
    const marks = [...(index === 0 ? [blocks.length - 2] : []), ...(index === last ? [blocks.length - 1] : [])]
    return { role: "user", content: blocks.map((block, at) => (marks.includes(at) ? cached(block) : block)) }
  })
}

/** Marks the last text of each of these messages, whoever wrote it. */
export function markedAfter(messages: MessageParam[], marks: readonly number[]): MessageParam[] {
  return messages.map((message, index) => {
    if (!marks.includes(index) || message.role === "system") return message
    const blocks: ContentBlockParam[] =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content
    const last = blocks.findLastIndex(({ type }) => type === "text")
    return { ...message, content: blocks.map((block, at) => (at === last ? cached(block) : block)) }
  })
}

/** The blocks of a message of the user's; a model's own must go back as they came. */
function blocksOf({ role, content }: MessageParam): ContentBlockParam[] | undefined {
  if (role !== "user") return undefined
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}
