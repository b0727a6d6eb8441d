import { hideSelected, historyIn, itemsIn, type Ledger, move, observe, stateOf } from "./observe.ts"
import {
  type Advanced,
  type AdvanceOptions,
  type CachedTier,
  type ContextItem,
  type ContextState,
  type Observed,
  THRESHOLDS,
  tierAbove,
  tokensOf,
  typeOf,
} from "./tiers.ts"

const MAX_PASSES = 10
/**
 * Maximum number of doublings. Each edit of a file doubles the number of unchanged requests after which the file may
 * move up again.
 */
const MAX_DOUBLINGS = 4

/**
 * Decides a request's tiers based on the previous request's tiers, and moves stable items up. An item that was shown
 * unchanged three times enters L3. It moves up further if the tier above must be rewritten anyway, or if that tier is
 * empty and the item's own tier must be rewritten anyway. Each tier keeps at least `target` tokens, because smaller
 * prefixes aren't cached.
 */
export function advanceContext(
  state: ContextState,
  observed: readonly Observed[],
  { target, treeTokens = 0 }: AdvanceOptions,
): Advanced {
  const ledger = observe(state, observed)
  const isTargeted = target > 0
  if (!isTargeted || isWorthGrowing(ledger, treeTokens)) graduate(ledger)
  cascade(ledger, target)
  if (isTargeted) consolidate(ledger, target)
  if (isTargeted) graduateHistory(ledger, { target, treeTokens })
  hideSelected(ledger)
  return { state: stateOf(ledger), changes: ledger.changes, broken: [...ledger.broken].sort() }
}

/**
 * Returns true if the files that are ready for L3 should join it. If L3 is rewritten anyway, they join immediately.
 * Otherwise, their joining would cause L3, the conversation and the file list to be rewritten. The rewrite pays off
 * only if the files have at least half as many tokens as the rewritten parts. The conversation doesn't count if it is
 * rewritten anyway.
 */
function isWorthGrowing(ledger: Ledger, treeTokens: number): boolean {
  if (ledger.broken.has("L3")) return true
  const joining = graduates(ledger)
  const conversation = ledger.isConversationRewritten
    ? []
    : itemsIn(ledger, "active").filter((item) => !joining.includes(item))
  return 2 * tokensOf(joining) >= tokensOf([...itemsIn(ledger, "L3"), ...conversation]) + treeTokens
}

function graduate(ledger: Ledger): void {
  for (const item of graduates(ledger)) move(ledger, item, "L3", THRESHOLDS.L3.entry)
}

/** Returns the files that have been shown unchanged often enough to join L3. */
function graduates(ledger: Ledger): ContextItem[] {
  return itemsIn(ledger, "active").filter(
    (item) => typeOf(item.key) !== "history" && !item.hidden && item.n >= promotionOf(item),
  )
}

/**
 * Returns the count that a file needs to move up. Files that are being edited should stay below L3, because each edit
 * of a file in L3 would rewrite the messages after it.
 */
function promotionOf({ edits = 0 }: ContextItem): number {
  return THRESHOLDS.active.promotion * 2 ** Math.min(edits, MAX_DOUBLINGS)
}

const RISING = ["L3", "L2", "L1"] as const

function cascade(ledger: Ledger, target: number): void {
  const arrived = new Set(ledger.changes.map(({ key }) => key))
  const anchored = new Set(RISING.flatMap((tier) => anchorsOf(itemsOf(ledger, tier), target)))
  // Items age only once per request, even if several passes are needed.
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
  // If an empty tier would remain too small, the next request would move the items down again.
  const isFilling = itemsOf(ledger, above).length === 0 && tokensOf(ready) >= target
  // Don't change a cached tier unless it is rewritten anyway.
  const isFree = isFilling && (target === 0 || ledger.broken.has(tier))
  const isOpen = isFree || ledger.broken.has(above)
  if (!isOpen || ready.length === 0) return false
  for (const item of ready) move(ledger, item, above, THRESHOLDS[above].entry)
  return true
}

/**
 * Returns the least stable items of a tier that exceeds the target, with at most as many tokens as the target. They
 * stay to fill the tier when the other items move up.
 */
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

/**
 * Merges each tier that is too small to be cached into the tier below, unless the small tier has already changed in
 * this step.
 */
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

/** Older messages also move to L3 if they have more tokens than this multiple of the target plus the file list. */
const HISTORY_TARGETS = 4

/**
 * Moves older messages to the end of L3, behind the tier's text, in three cases:
 * - L3 is rewritten anyway.
 * - The working files change, which also rewrites the file list, and the messages have at least as many tokens as that
 *   list.
 * - There are many older messages.
 *
 * Until then, these messages are cached by the breakpoint at the end of the request. The newest messages, up to the
 * target, remain in place. A question and its answer move together.
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
  const isPiggyback = ledger.broken.has("L3") || (ledger.isConversationRewritten && tokens >= treeTokens)
  if (!isPiggyback && tokens <= HISTORY_TARGETS * target + treeTokens) return
  for (const item of older) move(ledger, item, "L3", THRESHOLDS.L3.entry)
}

/** Returns a tier's items except messages, because messages aren't promoted by how often they were used. */
function itemsOf(ledger: Ledger, tier: CachedTier): ContextItem[] {
  return itemsIn(ledger, tier).filter(({ key }) => typeOf(key) !== "history")
}
