import { historyIn, itemsIn, type Ledger, move, observe, stateOf } from "./observe.ts"
import {
  type AdvanceOptions,
  type CachedTier,
  type ContextItem,
  THRESHOLDS,
  type TierStrategy,
  tierAbove,
  tokensOf,
  typeOf,
} from "./tiers.ts"

const MAX_PASSES = 10
/** Each edit of a file doubles the requests that have to show it unchanged before it rises again, so many times at most. */
const MAX_DOUBLINGS = 4

/**
 * Stable items rise: what was shown unchanged three times enters L3, and from there goes up whenever the tier above is empty
 * or must be written anew anyway. So much as `target` tokens stays in each tier, for a smaller prefix isn't cached.
 */
export const cascadeStrategy: TierStrategy = {
  advance(state, observed, { target, treeTokens = 0 }) {
    const ledger = observe(state, observed)
    const isTargeted = target > 0
    if (!isTargeted || isWorthGrowing(ledger, treeTokens)) graduate(ledger)
    cascade(ledger, target)
    if (isTargeted) consolidate(ledger, target)
    if (isTargeted) graduateHistory(ledger, { target, treeTokens })
    return { state: stateOf(ledger), changes: ledger.changes, broken: [...ledger.broken].sort() }
  },
}

/**
 * Whether the files that are ready for L3 should join it: at once where it is written anew anyway. Else they have it, its
 * messages and the list of files written anew, which has to pay: they must have half as many tokens as those. Messages aren't
 * broken for files while the working files stay as they are.
 */
function isWorthGrowing(ledger: Ledger, treeTokens: number): boolean {
  if (ledger.broken.has("L3")) return true
  const inL3 = itemsIn(ledger, "L3")
  const hasMessages = inL3.some(({ key }) => typeOf(key) === "history")
  if (hasMessages && !ledger.hasNewWork) return false
  return 2 * tokensOf(graduates(ledger)) >= tokensOf(inL3) + treeTokens
}

function graduate(ledger: Ledger): void {
  for (const item of graduates(ledger)) move(ledger, item, "L3", THRESHOLDS.L3.entry)
}

/** The files that were shown unchanged for long enough to join L3. */
function graduates(ledger: Ledger): ContextItem[] {
  return itemsIn(ledger, "active").filter(
    (item) => typeOf(item.key) !== "history" && !item.hidden && item.n >= promotionOf(item),
  )
}

/** A file that is worked on is left below: in L3, each of its edits would have the messages behind it written anew. */
function promotionOf({ edits = 0 }: ContextItem): number {
  return THRESHOLDS.active.promotion * 2 ** Math.min(edits, MAX_DOUBLINGS)
}

const RISING = ["L3", "L2", "L1"] as const

function cascade(ledger: Ledger, target: number): void {
  const arrived = new Set(ledger.changes.map(({ key }) => key))
  const anchored = new Set(RISING.flatMap((tier) => anchorsOf(itemsOf(ledger, tier), target)))
  // Once a request, however often the tiers are gone through.
  for (const tier of RISING) age(ledger, tier, new Set([...arrived, ...anchored]))
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const promoted = RISING.filter((tier) => promote(ledger, tier, { anchored, target }))
    if (promoted.length === 0) return
  }
}

function age(ledger: Ledger, tier: (typeof RISING)[number], without: ReadonlySet<string>): void {
  for (const item of itemsOf(ledger, tier)) {
    if (!without.has(item.key))
      ledger.items.set(item.key, { ...item, n: Math.min(item.n + 1, THRESHOLDS[tier].promotion) })
  }
}

function promote(
  ledger: Ledger,
  tier: (typeof RISING)[number],
  { anchored, target }: { anchored: ReadonlySet<string>; target: number },
): boolean {
  const above = tierAbove(tier)
  if (!above) return false
  const ready = itemsOf(ledger, tier).filter(({ key, n }) => n >= THRESHOLDS[tier].promotion && !anchored.has(key))
  // Items too small to fill an empty tier would be demoted again with the next request.
  const isFree = itemsOf(ledger, above).length === 0 && tokensOf(ready) >= target
  const isOpen = isFree || ledger.broken.has(above)
  if (!isOpen || ready.length === 0) return false
  for (const item of ready) move(ledger, item, above, THRESHOLDS[above].entry)
  return true
}

/** The least stable items of a tier that has more than the target, as many as the target takes: they fill it when the rest leaves. */
function anchorsOf(items: ContextItem[], target: number): string[] {
  if (target <= 0 || tokensOf(items) <= target) return []
  let sum = 0
  return [...items]
    .sort((a, b) => a.n - b.n || (a.key < b.key ? -1 : 1))
    .filter(({ tokens }) => {
      sum += tokens
      return sum <= target
    })
    .map(({ key }) => key)
}

/** A tier that is too small to be cached joins the one below, as long as nothing else has happened to it. */
function consolidate(ledger: Ledger, target: number): void {
  let received: CachedTier | undefined
  const broken = new Set(ledger.broken)
  for (const [tier, below] of [
    ["L1", "L2"],
    ["L2", "L3"],
  ] as const) {
    const items = itemsOf(ledger, tier)
    const tokens = tokensOf(items)
    if (tier === received || broken.has(tier) || tokens === 0 || tokens >= target) continue
    for (const item of items) move(ledger, item, below, item.n)
    received = below
  }
}

/** The number of targets that older messages fill, besides what the list of files takes, before they join L3 by themselves. */
const HISTORY_TARGETS = 4

/**
 * Messages of the conversation follow their tier's text, so older ones join L3 at its end: when that is written anyway; when
 * the working files before them are, and they are as long as the list of files, which is written anew for them; or when they
 * have become many. Until then they are read from the request's own mark. The newest, as many as the target, stay behind. A
 * question and its answer move together.
 */
function graduateHistory(ledger: Ledger, { target, treeTokens }: Required<AdvanceOptions>): void {
  const active = historyIn(ledger).filter(({ tier }) => tier === "active")
  let window = 0
  const newest = active.findLastIndex((item) => {
    window += item.tokens
    return window >= target
  })
  const question = active.findLastIndex(({ role }, at) => at <= newest && role !== "assistant")
  const older = active.slice(0, Math.max(0, question))
  const tokens = tokensOf(older)
  const isPiggyback = ledger.broken.has("L3") || (ledger.hasNewWork && tokens >= treeTokens)
  if (!isPiggyback && tokens <= HISTORY_TARGETS * target + treeTokens) return
  for (const item of older) move(ledger, item, "L3", THRESHOLDS.L3.entry)
}

/** The items of a tier that rise by their counts: messages never do. */
function itemsOf(ledger: Ledger, tier: CachedTier): ContextItem[] {
  return itemsIn(ledger, tier).filter(({ key }) => typeOf(key) !== "history")
}
