import { itemsIn, type Ledger, move, observe, stateOf } from "./observe.ts"
import { type ContextItem, THRESHOLDS, type Tier, type TierStrategy, tokensOf, typeOf } from "./tiers.ts"

/** Fitted so that one item moves where what it saves outweighs what its tier costs to be written anew. */
const PERMEABILITY = 1.6164e-6
const SCALE_TOKENS = 98_952
const MAX_MOVES = 1000

/**
 * The second strategy: between two tiers things move like ions through a membrane, driven by how much more tokens the lower
 * one has, and in the measure of how many items could. Nothing is stranded below a tier that stays as it is.
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

/** The flux from the lower tier to the upper one, in items; history has no part in it. */
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
