/** Limits where nothing is known of a model. */
export const DEFAULT_MAX_INPUT_TOKENS = 200_000
export const IMAGE_TOKENS = 1000
export const COMPACTION_TOKENS = 24_000
const MESSAGE_OVERHEAD_TOKENS = 4
const TARGET_MARGIN = 1.1
const SHED_ABOVE = 0.9
const FIRST_RATIO = 4

/** Tokens of the shortest prefix that Anthropic caches, by the model's name. */
export function minCachedTokens(model: string): number {
  return /(opus|haiku)-4[-.]([5-9]|\d{2})(?!\d)/.test(model) || /(opus|haiku)-([5-9])(?!\d)/.test(model) ? 4096 : 1024
}

/** So many tokens a tier should have, that its end is worth a mark. 0 switches off all that depends on it. */
export function cacheTarget(minTokens: number): number {
  return Math.ceil(minTokens * TARGET_MARGIN)
}

/** Characters a token, of one model: learnt from what its provider counted. */
export interface TokenRatio {
  chars: number
  tokens: number
}

export const unknownRatio: TokenRatio = { chars: 0, tokens: 0 }

export function learnRatio(ratio: TokenRatio, sent: { chars: number; reportedTokens: number | null }): TokenRatio {
  const { chars, reportedTokens } = sent
  if (reportedTokens === null || reportedTokens <= 0 || chars <= 0) return ratio
  // The newest request counts most: a conversation moves from prose to code.
  return { chars: ratio.chars / 2 + chars, tokens: ratio.tokens / 2 + reportedTokens }
}

export function estimateTokens(ratio: TokenRatio, chars: number): number {
  const charsPerToken = ratio.tokens > 0 ? ratio.chars / ratio.tokens : FIRST_RATIO
  return Math.max(1, Math.round(chars / charsPerToken))
}

export function messageTokens(contentTokens: number, images = 0): number {
  return contentTokens + MESSAGE_OVERHEAD_TOKENS + images * IMAGE_TOKENS
}

/** The most tokens of conversation that a reader of the figures should see as usual. */
export function historyBudget(maxInputTokens: number): number {
  return Math.floor(maxInputTokens / 16)
}

/** Leaves out the largest files until the rest fits into the input, with room for what else there is. */
export function shedFiles(
  files: readonly { path: string; tokens: number }[],
  { otherTokens, maxInputTokens }: { otherTokens: number; maxInputTokens: number },
): { kept: string[]; shed: string[] } {
  const room = Math.floor(maxInputTokens * SHED_ABOVE) - otherTokens
  const kept = files.toSorted((a, b) => a.tokens - b.tokens || (a.path < b.path ? -1 : 1))
  const shed: string[] = []
  while (kept.reduce((sum, { tokens }) => sum + tokens, 0) > room) {
    const largest = kept.pop()
    if (!largest) break
    shed.push(largest.path)
  }
  return { kept: kept.map(({ path }) => path).sort(), shed }
}

/**
 * The messages that stay when a conversation has outgrown what a compaction would have left: the newest, down to the trigger,
 * at least two, and beginning with a user's. Nothing happens up to twice the trigger.
 */
export function truncateHistory<M extends { role: "user" | "assistant"; tokens: number }>(
  messages: readonly M[],
  triggerTokens: number,
): M[] {
  let tokens = messages.reduce((sum, message) => sum + message.tokens, 0)
  if (triggerTokens <= 0 || tokens <= 2 * triggerTokens) return [...messages]
  let from = 0
  while (from < messages.length - 2 && tokens > triggerTokens) {
    tokens -= messages[from]?.tokens ?? 0
    from++
  }
  const firstUser = messages.findIndex(({ role }, at) => at >= from && role === "user")
  return firstUser === -1 ? messages.slice(-2) : messages.slice(firstUser)
}
