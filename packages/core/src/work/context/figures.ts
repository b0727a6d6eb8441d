import type { AssembledContext } from "./assemble-context.ts"
import {
  CACHED_TIERS,
  type ContextState,
  type ItemType,
  isPromotion,
  THRESHOLDS,
  TIERS,
  type Tier,
  type TierChange,
  tokensOf,
  typeOf,
} from "./tiers.ts"

/** A tier as shown to people. */
export interface TierFigures {
  tier: Tier
  tokens: number
  cached: boolean
  /** Count at which an item may rise to the tier above. Null for the top tier. */
  threshold: number | null
  contents: { type: ItemType; count: number; tokens: number; items: { key: string; tokens: number; n: number }[] }[]
}

export interface ContextFigures {
  tiers: TierFigures[]
  totalTokens: number
  cachedTokens: number
  promotions: TierChange[]
  demotions: TierChange[]
}

/** Returns the figures of a request: its tiers and their items, and the moves since the previous one. */
export function contextFigures(
  { tokens, marks }: AssembledContext,
  state: ContextState,
  changes: readonly TierChange[],
): ContextFigures {
  const tiers = TIERS.map((tier): TierFigures => {
    const items = state.items.filter((item) => item.tier === tier && !item.hidden)
    const contents = [...Map.groupBy(items, ({ key }) => typeOf(key))].map(([type, some]) => ({
      ...{ type, count: some.length, tokens: tokensOf(some) },
      items: some.map(({ key, tokens, n }) => ({ key, tokens, n })),
    }))
    const cached = tier !== "active" && marks.length > 0
    return { tier, tokens: tokens[tier], cached, threshold: THRESHOLDS[tier].promotion, contents }
  })
  const isCached = new Set<string>(marks.length > 0 ? CACHED_TIERS : [])
  return {
    tiers,
    totalTokens: Object.values(tokens).reduce((sum, part) => sum + part, 0),
    cachedTokens: tiers.reduce((sum, one) => sum + (isCached.has(one.tier) ? one.tokens : 0), 0),
    promotions: changes.filter(isPromotion),
    demotions: changes.filter((change) => !isPromotion(change)),
  }
}
