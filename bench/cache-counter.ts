import { createHash } from "node:crypto"

/** Part of a prompt. Anthropic caches prefixes that consist of whole blocks. */
export interface Block {
  text: string
  /** True if a cached prefix ends with this block. */
  isMarked: boolean
}

export interface Counted {
  read: number
  written: number
  /** Tokens neither read from the cache nor written to it. */
  fresh: number
}

const MIN_TOKENS = 1024
/** Number of blocks before each mark that the cache searches for a known prefix. */
const LOOK_BACK = 20

/**
 * Creates a function that counts a prompt's tokens by the rules of Anthropic's cache: at most four marks, at least
 * 1,024 tokens, and 20 blocks back.
 */
export function createCacheCounter(): (prompt: readonly Block[]) => Counted {
  const cached = new Set<string>()
  return (prompt) => {
    const prefixes = prefixesOf(prompt)
    const marks = prompt.flatMap(({ isMarked }, at) => (isMarked ? [at] : [])).slice(-4)
    const total = prefixes.at(-1)?.tokens ?? 0
    const hits = marks.flatMap((mark) =>
      prefixes.slice(Math.max(0, mark - LOOK_BACK), mark + 1).filter(({ key }) => cached.has(key)),
    )
    const read = Math.max(0, ...hits.map(({ tokens }) => tokens))
    const ends = marks.flatMap((mark) => prefixes[mark] ?? []).filter(({ tokens }) => tokens >= MIN_TOKENS)
    const upTo = Math.max(read, ...ends.map(({ tokens }) => tokens))
    for (const { key } of ends) cached.add(key)
    return { read, written: upTo - read, fresh: total - upTo }
  }
}

function prefixesOf(prompt: readonly Block[]): { key: string; tokens: number }[] {
  let before = { key: "", tokens: 0 }
  return prompt.map(({ text }) => {
    before = { key: digest(`${before.key} ${text}`), tokens: before.tokens + Math.ceil(text.length / 4) }
    return before
  })
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
