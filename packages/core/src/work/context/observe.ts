import {
  byHistoryNumber,
  type CachedTier,
  type ContextItem,
  type ContextState,
  type Observed,
  pathOf,
  THRESHOLDS,
  type TierChange,
  typeOf,
} from "./tiers.ts"

/** The items of one step, which strategies move about. */
export interface Ledger {
  items: Map<string, ContextItem>
  changes: TierChange[]
  broken: Set<CachedTier>
  /** Whether the working files are others, or other ones: then all messages behind them are written anew. */
  hasNewWork: boolean
}

/**
 * Takes over what is there now: what is gone leaves, what is new or has changed is active with a count of 0, and what is
 * active and unchanged counts one up. A tier that loses an item, or shows one that it didn't, is broken.
 */
export function observe(state: ContextState, observed: readonly Observed[]): Ledger {
  const before = new Map(state.items.map((item) => [item.key, item]))
  const shownInFull = new Set(observed.flatMap(({ key }) => (typeOf(key) === "file" ? [pathOf(key)] : [])))
  const ledger: Ledger = { items: new Map(), changes: [], broken: new Set(), hasNewWork: false }
  for (const now of observed) {
    const hidden = typeOf(now.key) === "symbol" && shownInFull.has(pathOf(now.key))
    const old = before.get(now.key)
    if (typeOf(now.key) === "file" && old?.hash !== now.hash) ledger.hasNewWork = true
    ledger.items.set(now.key, old ? unchangedOrDemoted(ledger, old, now, hidden) : newItem(now, hidden))
  }
  for (const { key, tier } of state.items) {
    if (ledger.items.has(key)) continue
    if (tier === "active") {
      if (typeOf(key) === "file") ledger.hasNewWork = true
      continue
    }
    // A compaction takes away all history at once: that is no reason to move the rest of it.
    if (typeOf(key) !== "history") ledger.broken.add(tier)
  }
  orderHistory(ledger)
  return ledger
}

/** The messages of the conversation, in their order. */
export function historyIn(ledger: Ledger): ContextItem[] {
  return [...ledger.items.values()].filter(({ key }) => typeOf(key) === "history").sort(byHistoryNumber)
}

/**
 * Restores the order of the conversation. A summary, or a return to what was undone, comes before messages that joined a tier
 * earlier: those leave it. An answer is in the tier of its question.
 */
function orderHistory(ledger: Ledger): void {
  const messages = historyIn(ledger)
  const first = messages.findIndex(({ tier }) => tier === "active")
  if (first === -1) return
  for (const item of messages.slice(first)) if (item.tier !== "active") move(ledger, item, "active", 0)
  const [question, answer] = [messages[first - 1], messages[first]]
  if (!question || answer?.role !== "assistant" || question.tier === "active") return
  move(ledger, answer, question.tier, THRESHOLDS[question.tier].entry)
}

/** Moves an item, with the count with which its new tier begins unless another is given. */
export function move(ledger: Ledger, item: ContextItem, tier: ContextItem["tier"], n: number): void {
  ledger.changes.push({ key: item.key, from: item.tier, to: tier })
  if (typeOf(item.key) !== "history") {
    if (item.tier !== "active") ledger.broken.add(item.tier)
    if (tier !== "active") ledger.broken.add(tier)
  }
  ledger.items.set(item.key, { ...item, tier, n })
}

export function itemsIn(ledger: Ledger, tier: ContextItem["tier"]): ContextItem[] {
  return [...ledger.items.values()].filter((item) => item.tier === tier)
}

/** The items in an order that doesn't depend on how they came in. */
export function stateOf({ items }: Ledger): ContextState {
  return { items: [...items.values()].sort((a, b) => (a.key < b.key ? -1 : 1)) }
}

function newItem(now: Observed, hidden: boolean): ContextItem {
  return { ...now, tier: "active", n: 0, hidden }
}

function unchangedOrDemoted(ledger: Ledger, old: ContextItem, now: Observed, hidden: boolean): ContextItem {
  // A placeholder's first real hash is no change.
  const isSame = old.hash === now.hash || old.hash === ""
  if (!isSame) {
    if (old.tier !== "active") {
      ledger.changes.push({ key: old.key, from: old.tier, to: "active" })
      // What was hidden, and stays so, is no part of its tier's text.
      if (!(old.hidden && hidden)) ledger.broken.add(old.tier)
    }
    const item = newItem(now, hidden)
    return typeOf(now.key) === "file" ? { ...item, edits: (old.edits ?? 0) + 1 } : item
  }
  if (old.hidden !== hidden && old.tier !== "active") ledger.broken.add(old.tier)
  const n = old.tier === "active" ? old.n + 1 : old.n
  // The text stays as it was sent: what other files have to do with this one may have changed.
  const isFirst = old.hash === "" && old.text === undefined
  const { text, tokens } = isFirst ? now : old
  const { role } = now
  return { ...old, hash: now.hash, tokens, ...(text !== undefined && { text }), ...(role && { role }), n, hidden }
}
