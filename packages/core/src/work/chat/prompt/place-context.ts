import { createHash } from "node:crypto"
import type { AssembledContext } from "../../context/assemble-context.ts"
import { COMPACTION_TOKENS, estimateTokens, unknownRatio } from "../../context/budgets.ts"
import { cascadeStrategy } from "../../context/cascade.ts"
import { contextFigures } from "../../context/figures.ts"
import type { ShownFile } from "../../context/sections.ts"
import { seedContext } from "../../context/seed.ts"
import {
  type AdvanceOptions,
  CACHED_TIERS,
  type CachedTier,
  type ContextState,
  type ItemKey,
  type ItemType,
  type Observed,
  TIERS,
  type TierChange,
  tokensOf,
  typeOf,
} from "../../context/tiers.ts"
import type { ChatContext, PlacedItem } from "../context-schema.ts"
import type { HistoryMessage } from "../history/model-history.ts"
import type { CodeMap } from "./code-map.ts"

/** Parts that a turn may show. */
export interface Parts {
  map: CodeMap
  files: readonly ShownFile[]
  history: readonly HistoryMessage[]
}

export interface Placed {
  state: ContextState
  changes: TierChange[]
  /** Tiers whose text differs from the last turn. */
  broken: CachedTier[]
}

/** Decides the tiers of the parts from their last tiers. Without those, spreads the map over the tiers. */
export function placeContext(
  last: readonly PlacedItem[] | null,
  parts: Parts,
  { target, treeTokens, systemTokens }: Required<AdvanceOptions> & { systemTokens: number },
): Placed {
  const observed = observedIn(parts)
  const symbols = observed.filter(({ key }) => key.startsWith("symbol:"))
  const { mutual, referrers } = parts.map.references
  const references = new Map([...referrers].map(([path, from]) => [path, from.length]))
  const before = last ? stateOf(last) : seedContext(symbols, { mutual, references, target, systemTokens })
  const { state, changes, broken } = cascadeStrategy.advance(before, observed, { target, treeTokens })
  return { state, changes, broken: last ? broken : [...CACHED_TIERS] }
}

/** Restores decided tiers. */
export function stateOf(items: readonly PlacedItem[]): ContextState {
  return {
    items: items.map(({ key, text, edits, role, ...item }) => ({
      ...item,
      key: key as ItemKey,
      ...(role !== undefined && { role }),
      ...(text !== undefined && { text }),
      ...(edits !== undefined && { edits }),
    })),
  }
}

export function toPlaced({ items }: ContextState): PlacedItem[] {
  return items.map(({ key, hash, tokens, tier, n, hidden, role, text, edits }) => ({
    ...{ key, hash, tokens, tier, n, hidden },
    ...(role !== undefined && { role }),
    ...(text !== undefined && { text }),
    ...(edits !== undefined && { edits }),
  }))
}

export function toFigures(
  context: AssembledContext,
  { state, changes }: Placed,
  { leftOut, rebuilt }: Pick<CodeMap, "leftOut"> & { rebuilt: readonly PlacedItem[] | null },
): ChatContext {
  const { tiers, totalTokens, promotions, demotions } = contextFigures(context, state, changes)
  const shown = (type: ItemType) => tokensOf(state.items.filter(({ key }) => typeOf(key) === type))
  const inL0 = tokensOf(state.items.filter(({ tier }) => tier === "L0"))
  const [symbol_map, files, history] = [shown("symbol"), shown("file"), shown("history")]
  const system = Math.max(0, context.tokens.L0 - inL0)
  return {
    ...{ tiers, promotions, demotions, total_tokens: totalTokens, history_budget: COMPACTION_TOKENS },
    breakdown: { system, symbol_map, files, urls: context.tokens.urls, history },
    unmapped_files: leftOut,
    history_tokens: history,
    ...(rebuilt && {
      rebuilt: TIERS.map((tier) => ({ tier, before: partsIn(rebuilt, tier), after: partsIn(state.items, tier) })),
    }),
  }
}

function partsIn(items: readonly Pick<PlacedItem, "tier" | "hidden">[], tier: PlacedItem["tier"]): number {
  return items.filter((item) => item.tier === tier && !item.hidden).length
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
  return { key, hash, tokens: estimateTokens(unknownRatio, content.length) }
}
