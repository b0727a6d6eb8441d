import type { ChatForecast } from "../chat/request-schema.ts"
import type { AssembledContext } from "./assemble-context.ts"
import { estimateTokens } from "./budgets.ts"
import { type CachedTier, type ContextState, pathOf, type Tier, typeOf } from "./tiers.ts"

interface Sent {
  state: ContextState
  context: AssembledContext
}

/**
 * Predicts how many tokens of the previous request the next request can read from the cache, and how many it must write
 * again.
 */
export function forecastCache(last: Sent, next: Sent): Omit<ChatForecast, "cost_usd"> {
  const lastParts = prefixParts(last.context)
  const nextParts = prefixParts(next.context)
  const differs = lastParts.findIndex((text, at) => text !== nextParts[at])
  const shared = differs === -1 ? lastParts.length : differs
  const tokens = (parts: string[]) => parts.reduce((sum, { length }) => sum + estimateTokens(length), 0)
  // Only whole prefixes are cached, so the shared part counts only up to its last mark.
  const mark = Math.max(-2, ...last.context.marks.filter((at) => at + 2 <= shared))
  const cached_tokens = mark === -2 ? 0 : tokens(lastParts.slice(0, mark + 2))
  const lost_tokens = tokens(lastParts) - cached_tokens
  return { cached_tokens, lost_tokens, changes: lost_tokens > 0 ? changesOf(last.state, next.state) : [] }
}

/** Returns the system prompt and the messages up to the last mark. */
function prefixParts({ system, messages, marks }: AssembledContext): string[] {
  const end = marks.at(-1)
  return end === undefined
    ? []
    : [system, ...messages.slice(0, end + 1).map(({ role, content }) => `${role}\n${content}`)]
}

type CacheChange = ChatForecast["changes"][number]

function changesOf(last: ContextState, next: ContextState): CacheChange[] {
  const now = new Map(next.items.map((item) => [item.key, item]))
  const before = new Map(last.items.map((item) => [item.key, item]))
  const gone = last.items.flatMap(({ key, tier, hash, hidden }): CacheChange[] => {
    if (tier === "active" || typeOf(key) === "history") return []
    const item = now.get(key)
    const about = { tier, path: pathOf(key) }
    if (!item) return [{ ...about, reason: "removed" }]
    if (item.hash !== hash) return [{ ...about, reason: "edited" }]
    if (item.hidden !== hidden) return [{ ...about, reason: item.hidden ? "removed" : "added" }]
    return item.tier === tier ? [] : [{ ...about, reason: "moved" }]
  })
  const come = next.items.flatMap(({ key, tier }): CacheChange[] => {
    const isNew = isCached(tier) && (before.get(key)?.tier ?? "active") === "active" && typeOf(key) !== "history"
    return isNew ? [{ tier, path: pathOf(key), reason: "added" }] : []
  })
  return [...gone, ...come]
}

function isCached(tier: Tier): tier is CachedTier {
  return tier !== "active"
}
