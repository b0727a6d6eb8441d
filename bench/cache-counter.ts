import { createHash } from "node:crypto"

/** A part of a prompt: Anthropic caches prefixes of whole blocks. */
export interface Block {
  text: string
  /** Whether a prefix that is to be cached ends with it. */
  isMarked: boolean
}

export interface Counted {
  read: number
  written: number
  /** Neither read from the cache nor written to it. */
  fresh: number
}

const MIN_TOKENS = 1024
/** From each mark, a cached prefix is looked for in so many blocks before it. */
const LOOK_BACK = 20

/** A model server that only counts, by Anthropic's rules for its cache: four marks, 1,024 tokens at least, 20 blocks back. */
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
