import { itemsIn, type Ledger, move, observe, stateOf } from "./observe.ts"
import { type ContextItem, THRESHOLDS, type Tier, type TierStrategy, tokensOf, typeOf } from "./tiers.ts"

/** Fitted so that an item moves when its savings exceed the cost of rewriting its tier. */
const PERMEABILITY = 1.6164e-6
const SCALE_TOKENS = 98_952
const MAX_MOVES = 1000

/**
 * Second strategy: items move between tiers like ions through a membrane. A surplus of tokens in the lower tier drives
 * them, in proportion to the number of movable items. Nothing remains stuck below an unchanged tier.
 */
export const fluxStrategy: TierStrategy = {
  advance(state, observed) {
    const ledger = observe(state, observed)
    age(ledger)
    for (const item of oldestFirst(movable(ledger, "active"))) {
      if (item.n >= THRESHOLDS.active.promotion && !item.hidden) move(ledger, item, "L3", item.n)
    }
    const membranes = [
      ["L3", "L2"],
      ["L2", "L1"],
      ["L1", "L0"],
    ] as const
    for (let moves = 0; moves < MAX_MOVES; moves++) {
      const open = membranes.find(([lower, upper]) => fluxBetween(movable(ledger, lower), movable(ledger, upper)) >= 1)
      const [next] = open ? oldestFirst(movable(ledger, open[0])) : []
      if (!open || !next) break
      move(ledger, next, open[1], next.n)
    }
    if (ledger.broken.has("L3")) {
      for (const item of itemsIn(ledger, "active")) if (typeOf(item.key) === "history") move(ledger, item, "L3", item.n)
    }
    return { state: stateOf(ledger), changes: ledger.changes, broken: [...ledger.broken].sort() }
  },
}

/** Returns the flux from the lower to the upper tier, in items. History doesn't take part. */
export function fluxBetween(lower: readonly ContextItem[], upper: readonly ContextItem[]): number {
  const drive = tokensOf(lower) - tokensOf(upper)
  const [below, above] = [lower.length, upper.length]
  const ratio = drive / SCALE_TOKENS
  if (Math.abs(ratio) < 1e-9) return Math.max(0, PERMEABILITY * SCALE_TOKENS * (below - above))
  if (ratio > 50) return PERMEABILITY * drive * below
  const decay = Math.exp(-ratio)
  return Math.max(0, (PERMEABILITY * drive * (below - above * decay)) / (1 - decay))
}

function age(ledger: Ledger): void {
  for (const item of ledger.items.values()) {
    if (item.tier !== "active") ledger.items.set(item.key, { ...item, n: item.n + 1 })
  }
}

function movable(ledger: Ledger, tier: Tier): ContextItem[] {
  return itemsIn(ledger, tier).filter(({ key }) => typeOf(key) !== "history")
}

function oldestFirst(items: ContextItem[]): ContextItem[] {
  return items.sort((a, b) => b.n - a.n || a.tokens - b.tokens || (a.key < b.key ? -1 : 1))
}
