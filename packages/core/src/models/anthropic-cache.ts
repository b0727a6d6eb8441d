import type { CacheControlEphemeral, ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources/messages"

const breakpoint: CacheControlEphemeral = { type: "ephemeral" }

/**
 * Marks a block as a cache breakpoint: everything up to it is cached, in the order tools, system prompt, messages. A
 * request may have four breakpoints. Anthropic ignores a breakpoint if the prefix is shorter than 1,024 to 4,096
 * tokens, depending on the model.
 */
export function cached<Block extends object>(block: Block): Block & { cache_control: CacheControlEphemeral } {
  return { ...block, cache_control: breakpoint }
}

/**
 * Marks two cache breakpoints: the end of the first message's prefix, which other conversations share, and the last
 * message, from which this conversation continues. Anthropic looks for a cached prefix in the 20 blocks before each
 * breakpoint, so a prefix may grow by up to 20 texts between two requests.
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

/** Marks the last text of each of the given messages, whatever its role. */
export function markedAfter(messages: MessageParam[], marks: readonly number[]): MessageParam[] {
  return messages.map((message, index) => {
    if (!marks.includes(index) || message.role === "system") return message
    const blocks: ContentBlockParam[] =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content
    const last = blocks.findLastIndex(({ type }) => type === "text")
    return { ...message, content: blocks.map((block, at) => (at === last ? cached(block) : block)) }
  })
}

/**
 * Returns the blocks of a user message. Undefined for other roles, because a model's own blocks must be sent back
 * unchanged.
 */
function blocksOf({ role, content }: MessageParam): ContentBlockParam[] | undefined {
  if (role !== "user") return undefined
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}
