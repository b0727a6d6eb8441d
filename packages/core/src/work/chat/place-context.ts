import { createHash } from "node:crypto"
import type { AssembledContext } from "../context/assemble-context.ts"
import { COMPACTION_TOKENS, estimateTokens, unknownRatio } from "../context/budgets.ts"
import { cascadeStrategy } from "../context/cascade.ts"
import { contextFigures } from "../context/figures.ts"
import type { ShownFile } from "../context/sections.ts"
import { seedContext } from "../context/seed.ts"
import type { ContextState, ItemKey, Observed, TierChange } from "../context/tiers.ts"
import type { ChatContext, PlacedItem } from "./context-schema.ts"
import type { HistoryMessage } from "./model-history.ts"

/** The parts that a turn may show. */
export interface Parts {
  /** The map's part of each file. */
  symbols: ReadonlyMap<string, string>
  files: readonly ShownFile[]
  history: readonly HistoryMessage[]
}

export interface Placed {
  state: ContextState
  changes: TierChange[]
}

/** Decides where the parts stand, from where they stood in the last turn; without one, the map is dealt out. */
export function placeContext(
  last: readonly PlacedItem[] | null,
  parts: Parts,
  { target, systemTokens }: { target: number; systemTokens: number },
): Placed {
  const observed = observedIn(parts)
  const symbols = observed.filter(({ key }) => key.startsWith("symbol:"))
  const before = last
    ? withTexts(last, observed)
    : seedContext(symbols, { mutual: [], references: new Map(), target, systemTokens })
  const { state, changes } = cascadeStrategy.advance(before, observed, { target })
  return { state, changes }
}

/** The places that were decided before, with their texts. */
export function placedBefore(items: readonly PlacedItem[], parts: Parts): ContextState {
  return withTexts(items, observedIn(parts))
}

export function toPlaced({ items }: ContextState): PlacedItem[] {
  return items.map(({ key, hash, tokens, tier, n, hidden }) => ({ key, hash, tokens, tier, n, hidden }))
}

export function toFigures(context: AssembledContext, { state, changes }: Placed): ChatContext {
  const { tiers, totalTokens, promotions, demotions } = contextFigures(context, state, changes)
  const history = state.items.filter(({ key }) => key.startsWith("history:"))
  return {
    ...{ tiers, promotions, demotions, total_tokens: totalTokens, history_budget: COMPACTION_TOKENS },
    history_tokens: history.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

function observedIn({ symbols, files, history }: Parts): Observed[] {
  return [
    ...[...symbols].map(([path, text]) => ({ ...observe(`symbol:${path}`, text), text })),
    ...files.map(({ path, text }) => observe(`file:${path}`, text)),
    ...history.map(({ number, role, content }) => observe(`history:${number}`, `${role}:${content}`)),
  ]
}

function observe(key: ItemKey, content: string): Observed {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16)
  return { key, hash, tokens: estimateTokens(unknownRatio, content.length) }
}

/** A part of the map is the same text as long as its file is the same. */
function withTexts(items: readonly PlacedItem[], observed: readonly Observed[]): ContextState {
  const texts = new Map(observed.map(({ key, text }) => [key as string, text]))
  return {
    items: items.map((item) => {
      const text = texts.get(item.key)
      return { ...item, key: item.key as ItemKey, ...(text !== undefined && { text }) }
    }),
  }
}
