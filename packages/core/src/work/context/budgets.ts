import type { ImageRef } from "../../files/images/schema.ts"

/** Maximum number of input tokens for models with unknown limits. */
export const DEFAULT_MAX_INPUT_TOKENS = 200_000
export const COMPACTION_TOKENS = 24_000
const MESSAGE_OVERHEAD_TOKENS = 4
const TARGET_MARGIN = 1.1
const SHED_ABOVE = 0.9
/** Estimated number of characters per token, for English text and code. */
export const CHARS_PER_TOKEN = 4

/** Returns the minimum length of a prefix that Anthropic caches, in tokens, by model name. */
export function minCachedTokens(model: string): number {
  return /(opus|haiku)-4[-.]([5-9]|\d{2})(?!\d)/.test(model) || /(opus|haiku)-([5-9])(?!\d)/.test(model) ? 4096 : 1024
}

/** Returns the number of tokens at which a tier is worth a cache breakpoint. */
export function cacheTarget(model: string): number {
  return Math.ceil(minCachedTokens(model) * TARGET_MARGIN)
}

/** Estimates the number of tokens in a text. */
export function estimateTokens(chars: number): number {
  return Math.max(1, Math.round(chars / CHARS_PER_TOKEN))
}

/**
 * Pixels per token of an image, and the maximum number of tokens per image. Both numbers are Anthropic's, and other
 * providers count similarly.
 */
const PIXELS_PER_TOKEN = 750
const MAX_IMAGE_TOKENS = 1600

/** Estimates the number of tokens in images. */
export function imageTokens(images: readonly Pick<ImageRef, "width" | "height">[]): number {
  return images.reduce((sum, { width, height }) => {
    const pixels = width !== undefined && height !== undefined ? width * height : Number.POSITIVE_INFINITY
    return sum + Math.min(MAX_IMAGE_TOKENS, Math.ceil(pixels / PIXELS_PER_TOKEN))
  }, 0)
}

/** Returns the estimated number of tokens in a message, including its overhead. */
export function messageTokens(contentChars: number): number {
  return estimateTokens(contentChars) + MESSAGE_OVERHEAD_TOKENS
}

/** Drops the largest files until the remaining files and the other tokens fit into the input. */
export function dropLargestFiles(
  files: readonly { path: string; tokens: number }[],
  { otherTokens, maxInputTokens }: { otherTokens: number; maxInputTokens: number },
): { kept: string[]; dropped: string[] } {
  const room = Math.floor(maxInputTokens * SHED_ABOVE) - otherTokens
  const kept = files.toSorted((a, b) => a.tokens - b.tokens || (a.path < b.path ? -1 : 1))
  const dropped: string[] = []
  while (kept.reduce((sum, { tokens }) => sum + tokens, 0) > room) {
    const largest = kept.pop()
    if (!largest) break
    dropped.push(largest.path)
  }
  return { kept: kept.map(({ path }) => path).sort(), dropped }
}

/**
 * Truncates a conversation that has grown to more than twice `triggerTokens` because compaction couldn't keep up. Keeps
 * the newest messages that fit into `triggerTokens` (at least two messages), starting with a user message.
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
