import type { Message } from "../../models/provider.ts"

/** Maximum length of a conversation sent to a model (about 60,000 tokens), and its length after it was shortened. */
const LIMIT_CHARS = 240_000
const KEPT_CHARS = 80_000

/** Maximum number of user messages to quote from the omitted part (newest first), and maximum length of each quote. */
const MAX_QUOTES = 20
const MAX_QUOTE_CHARS = 400

/** Number of characters before the limit at which a team member is reminded to take notes. */
const NOTED_BEFORE_CHARS = 30_000

/**
 * Returns true if a conversation will soon be shortened, and the part sent to the model doesn't yet contain `notice`.
 */
export function isNearlyTooLong(
  messages: readonly Message[],
  { notice, limit = LIMIT_CHARS, kept = KEPT_CHARS }: { notice: string; limit?: number; kept?: number },
): boolean {
  const sizes = messages.map((message) => JSON.stringify(message).length)
  const sizeFrom = (at: number) => sizes.slice(at).reduce((sum, size) => sum + size, 0)
  const at = messages.findLastIndex(({ role, content }) => role === "user" && String(content).includes(notice))
  // If a notice came just before the last cut, the model can still see it, so it isn't repeated.
  if (at >= 0 && sizeFrom(at) < kept) return false
  return sizeFrom(cutOf(messages, sizes, { limit, kept })) > limit - NOTED_BEFORE_CHARS
}

/**
 * Shortens a conversation for a model. Keeps the first message and as many of the newest messages as fit. The result
 * depends only on the messages, so a successor sends the same result. The position of the cut rarely changes, which
 * keeps the provider's prompt cache valid.
 */
export function shortenConversation(
  messages: readonly Message[],
  { limit = LIMIT_CHARS, kept = KEPT_CHARS } = {},
): Message[] {
  const sizes = messages.map((message) => JSON.stringify(message).length)
  const [first] = messages
  const from = cutOf(messages, sizes, { limit, kept })
  if (from === 0 || first?.role !== "user") return [...messages]
  return [{ ...first, content: `${first.content}\n\n${leftOut(messages.slice(1, from))}` }, ...messages.slice(from)]
}

/**
 * Returns the index of the first message to send, apart from the conversation's very first message. Zero if all
 * messages are sent.
 */
function cutOf(
  messages: readonly Message[],
  sizes: number[],
  { limit, kept }: { limit: number; kept: number },
): number {
  let from = 0
  let size = 0
  for (const [at, length] of sizes.entries()) {
    size += length
    // Cut only before an answer, so that the answer and its tool results stay together.
    if (messages[at]?.role !== "assistant" || size <= limit) continue
    size = length
    from = at
    for (let back = at - 1; back > 0 && size + (sizes[back] ?? 0) <= kept; back--) {
      size += sizes[back] ?? 0
      if (messages[back]?.role === "assistant") from = back
    }
    size = sizes.slice(from, at + 1).reduce((sum, one) => sum + one, 0)
  }
  return from
}

function leftOut(messages: readonly Message[]): string {
  const said = messages.flatMap((message) => (message.role === "user" ? [String(message.content)] : []))
  const quotes = said.slice(-MAX_QUOTES).map((text) => `- ${text.slice(0, MAX_QUOTE_CHARS)}`)
  const about = `${messages.length} messages between this and the next one are left out.`
  if (quotes.length === 0) return `[${about}]`
  return [`[${about} You were told in them, among other things:]`, ...quotes].join("\n")
}
