import { type CachedTier, type ContextItem, type ContextState, type Observed, pathOf, THRESHOLDS } from "./tiers.ts"

export interface SeedOptions {
  /** Pairs of paths that import each other. */
  mutual: readonly (readonly [string, string])[]
  /** Number of references to each path. The most referenced files are placed in L0. */
  references: ReadonlyMap<string, number>
  target: number
  /** Number of other tokens in L0, such as the system prompt's. */
  systemTokens: number
  /** Paths of the files that are shown in full, so that their blocks are hidden. */
  shownInFull?: ReadonlySet<string>
}

const SEEDED = ["L1", "L2", "L3"] as const

/**
 * Creates the initial state of a session. The most referenced items fill L0. The others are distributed over three
 * tiers, but files that import each other stay together. Tiers that would be too small are merged.
 */
export function seedContext(symbols: readonly Observed[], options: SeedOptions): ContextState {
  const { target, systemTokens, references } = options
  const items = [...symbols].sort((a, b) => (a.key < b.key ? -1 : 1))
  const byReferences = items.toSorted((a, b) => countOf(references, b) - countOf(references, a))
  const inL0 = new Set<string>()
  let filled = systemTokens
  for (const { key, tokens } of byReferences) {
    if (filled >= target) break
    inL0.add(key)
    filled += tokens
  }
  const rest = items.filter(({ key }) => !inL0.has(key))
  const tiers = mergeSmall(deal(clustersOf(rest, options.mutual)), target)
  const place = (tier: CachedTier) => (item: Observed) => seeded(item, tier, options)
  return {
    items: [
      ...items.filter(({ key }) => inL0.has(key)).map(place("L0")),
      ...SEEDED.flatMap((tier) => tiers[tier].map(place(tier))),
    ].sort((a, b) => (a.key < b.key ? -1 : 1)),
  }
}

function seeded(item: Observed, tier: CachedTier, { shownInFull }: SeedOptions): ContextItem {
  return { ...item, tier, n: THRESHOLDS[tier].entry, hidden: shownInFull?.has(pathOf(item.key)) ?? false }
}

function countOf(references: ReadonlyMap<string, number>, { key }: Observed): number {
  return references.get(pathOf(key)) ?? 0
}

/** Groups files that import each other, directly or indirectly. The largest group comes first. */
function clustersOf(items: readonly Observed[], mutual: SeedOptions["mutual"]): Observed[][] {
  const parent = new Map(items.map(({ key }) => [pathOf(key), pathOf(key)]))
  const rootOf = (path: string): string => {
    let at = path
    for (let next = parent.get(at); next !== undefined && next !== at; next = parent.get(at)) at = next
    return at
  }
  for (const [a, b] of mutual) if (parent.has(a) && parent.has(b)) parent.set(rootOf(a), rootOf(b))
  const clusters = [...Map.groupBy(items, ({ key }) => rootOf(pathOf(key))).values()]
  return clusters.sort((a, b) => sumOf(b) - sumOf(a) || (firstOf(a) < firstOf(b) ? -1 : 1))
}

type Dealt = Record<(typeof SEEDED)[number], Observed[]>

function deal(clusters: Observed[][]): Dealt {
  const tiers: Dealt = { L1: [], L2: [], L3: [] }
  const loads = { L1: 0, L2: 0, L3: 0 }
  for (const cluster of clusters) {
    const lightest = SEEDED.reduce((a, b) => (loads[b] < loads[a] ? b : a))
    tiers[lightest].push(...cluster)
    loads[lightest] += sumOf(cluster)
  }
  return tiers
}

/**
 * Merges the smallest tier below the target into the smallest other tier, and repeats this until no tier is too small
 * or only one tier is left. L3 is merged last.
 */
function mergeSmall(tiers: Dealt, target: number): Dealt {
  for (;;) {
    const bySize = (some: readonly (keyof Dealt)[]) => some.toSorted((a, b) => sumOf(tiers[a]) - sumOf(tiers[b]))
    const filled = SEEDED.filter((tier) => tiers[tier].length > 0)
    const small = bySize(filled.filter((tier) => sumOf(tiers[tier]) < target))
    const from = small.find((tier) => tier !== "L3") ?? small[0]
    const into = bySize(filled.filter((tier) => tier !== from))[0]
    if (!from || !into) return tiers
    tiers[into].push(...tiers[from])
    tiers[from] = []
  }
}

const sumOf = (items: readonly Observed[]) => items.reduce((sum, { tokens }) => sum + tokens, 0)
const firstOf = (items: readonly Observed[]) => items.map(({ key }) => key).sort()[0] ?? ""
