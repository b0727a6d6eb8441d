import type { Message } from "../../models/provider.ts"

/** The characters of a conversation that a model is sent at most, and that stay where it is cut: some 60,000 tokens, and a third. */
const LIMIT_CHARS = 240_000
const KEPT_CHARS = 80_000

/** Of the messages that are left out, so much of the newest ones of others is quoted. */
const MAX_QUOTES = 20
const MAX_QUOTE_CHARS = 400

/**
 * A conversation as a model is sent it: its first message, and as many of the newest as there is room for. It depends on
 * nothing but the messages, so a successor sends the same; and the cut stays where it is for many calls, so that the
 * provider's cache of the beginning holds.
 */
export function shortenConversation(
  messages: readonly Message[],
  { limit = LIMIT_CHARS, kept = KEPT_CHARS } = {},
): Message[] {
  const sizes = messages.map((message) => JSON.stringify(message).length)
  const [first] = messages
  const from = cutOf(messages, sizes, { limit, kept })
  if (from === 0 || first?.role !== "user") return [...messages]
  return [{ role: "user", content: `${first.content}\n\n${leftOut(messages.slice(1, from))}` }, ...messages.slice(from)]
}

/** The index of the first message after the first one that is sent; zero where all are. */
function cutOf(
  messages: readonly Message[],
  sizes: number[],
  { limit, kept }: { limit: number; kept: number },
): number {
  let from = 0
  let size = 0
  for (const [at, length] of sizes.entries()) {
    size += length
    // Between an answer and the results of its calls there is no cut.
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
