import { createHash } from "node:crypto"
import type { ImageRef } from "../../../files/images/schema.ts"
import type { AssembledContext } from "../../context/assemble-context.ts"
import { COMPACTION_TOKENS, estimateTokens, imageTokens } from "../../context/budgets.ts"
import { advanceContext } from "../../context/cascade.ts"
import type { ShownFile } from "../../context/sections.ts"
import { seedContext } from "../../context/seed.ts"
import {
  type Advanced,
  type AdvanceOptions,
  CACHED_TIERS,
  type ContextItem,
  type ItemKey,
  type ItemType,
  isPromotion,
  type Observed,
  THRESHOLDS,
  TIERS,
  type Tier,
  tokensOf,
  typeOf,
} from "../../context/tiers.ts"
import type { ChatContext } from "../context-schema.ts"
import type { HistoryMessage } from "../history/model-history.ts"
import type { CodeMap } from "./code-map.ts"

/** Parts of a turn's context. */
export interface Parts {
  map: CodeMap
  files: readonly ShownFile[]
  history: readonly HistoryMessage[]
}

/**
 * Decides the tiers of the parts based on their previous tiers. If there are no previous tiers, spreads the map over
 * the tiers.
 */
export function placeContext(
  last: ContextItem[] | null,
  parts: Parts,
  { target, treeTokens, systemTokens }: Required<AdvanceOptions> & { systemTokens: number },
): Advanced {
  const observed = observedIn(parts)
  const symbols = observed.filter(({ key }) => key.startsWith("symbol:"))
  const { mutual, referrers } = parts.map.references
  const references = new Map([...referrers].map(([path, from]) => [path, from.length]))
  const shownInFull = new Set(parts.files.map(({ path }) => path))
  const before = last
    ? { items: last }
    : seedContext(symbols, { mutual, references, target, systemTokens, shownInFull })
  const advanced = advanceContext(before, observed, { target, treeTokens })
  return last ? advanced : { ...advanced, broken: [...CACHED_TIERS] }
}

/**
 * Returns statistics for a request: its tiers, the items in them, and the items that moved since the previous request.
 */
export function toFigures(
  { tokens, marks }: AssembledContext,
  { state: { items }, changes }: Advanced,
  { leftOut, rebuilt }: Pick<CodeMap, "leftOut"> & { rebuilt: readonly ContextItem[] | null },
): ChatContext {
  const shown = (type: ItemType) => tokensOf(items.filter(({ key }) => typeOf(key) === type))
  const inL0 = tokensOf(items.filter(({ tier }) => tier === "L0"))
  const [symbol_map, files, history] = [shown("symbol"), shown("file"), shown("history")]
  return {
    tiers: TIERS.map((tier) => {
      const cached = tier !== "active" && marks.length > 0
      return {
        tier,
        tokens: tokens[tier],
        cached,
        threshold: THRESHOLDS[tier].promotion,
        contents: contentsOf(items, tier),
      }
    }),
    promotions: changes.filter(isPromotion),
    demotions: changes.filter((change) => !isPromotion(change)),
    total_tokens: Object.values(tokens).reduce((sum, part) => sum + part, 0),
    history_budget: COMPACTION_TOKENS,
    breakdown: { system: Math.max(0, tokens.L0 - inL0), symbol_map, files, urls: tokens.urls, history },
    unmapped_files: leftOut,
    history_tokens: history,
    ...(rebuilt && {
      rebuilt: TIERS.map((tier) => ({
        tier,
        before: shownIn(rebuilt, tier).length,
        after: shownIn(items, tier).length,
      })),
    }),
  }
}

/** Returns the estimated number of tokens in a whole prompt, including images. */
export function promptTokensOf(images: readonly ImageRef[], { total_tokens }: ChatContext): number {
  return total_tokens + imageTokens(images)
}

function contentsOf(items: readonly ContextItem[], tier: Tier) {
  return [...Map.groupBy(shownIn(items, tier), ({ key }) => typeOf(key))].map(([type, some]) => ({
    ...{ type, count: some.length, tokens: tokensOf(some) },
    items: some.map(({ key, tokens, n }) => ({ key, tokens, n })),
  }))
}

function shownIn(items: readonly ContextItem[], tier: Tier): ContextItem[] {
  return items.filter((item) => item.tier === tier && !item.hidden)
}

function observedIn({ map, files, history }: Parts): Observed[] {
  return [
    ...[...map.blocks].map(([path, { text, hash }]) => ({ ...observe(`symbol:${path}`, text), hash, text })),
    ...files.map(({ path, text }) => observe(`file:${path}`, text)),
    ...history.map(({ number, role, content }) => ({ ...observe(`history:${number}`, `${role}:${content}`), role })),
  ]
}

function observe(key: ItemKey, content: string): Observed {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16)
  return { key, hash, tokens: estimateTokens(content.length) }
}
