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

/** Items during one step, while they are moved between tiers. */
export interface Ledger {
  items: Map<string, ContextItem>
  changes: TierChange[]
  broken: Set<CachedTier>
  /** True if the working files changed, in which case all messages after them are rewritten. */
  hasNewWork: boolean
}

/**
 * Updates the items to their observed state. Missing items are dropped; new or changed ones become active with count 0;
 * unchanged active ones count up. A tier that loses or gains a shown item is broken, so its text must be rewritten.
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
    // Compaction removes the whole history at once, which is no reason to rewrite the tier's other items.
    if (typeOf(key) !== "history") ledger.broken.add(tier)
  }
  orderHistory(ledger)
  return ledger
}

/** Returns the conversation's messages, in order. */
export function historyIn(ledger: Ledger): ContextItem[] {
  return [...ledger.items.values()].filter(({ key }) => typeOf(key) === "history").sort(byHistoryNumber)
}

/**
 * Restores the order of the conversation. If a summary or an undo puts an active message before messages in a tier,
 * those messages leave the tier. An answer joins its question's tier.
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

/** Moves an item to a tier, with this count. */
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

/** Returns the items sorted by key, independent of their insertion order. */
export function stateOf({ items }: Ledger): ContextState {
  return { items: [...items.values()].sort((a, b) => (a.key < b.key ? -1 : 1)) }
}

function newItem(now: Observed, hidden: boolean): ContextItem {
  return { ...now, tier: "active", n: 0, hidden }
}

function unchangedOrDemoted(ledger: Ledger, old: ContextItem, now: Observed, hidden: boolean): ContextItem {
  // A placeholder's first real hash isn't a change.
  const isSame = old.hash === now.hash || old.hash === ""
  if (!isSame) {
    if (old.tier !== "active") {
      ledger.changes.push({ key: old.key, from: old.tier, to: "active" })
      // An item that stays hidden isn't part of its tier's text, so the tier remains intact.
      if (!(old.hidden && hidden)) ledger.broken.add(old.tier)
    }
    const item = newItem(now, hidden)
    return typeOf(now.key) === "file" ? { ...item, edits: (old.edits ?? 0) + 1 } : item
  }
  if (old.hidden !== hidden && old.tier !== "active") ledger.broken.add(old.tier)
  const n = old.tier === "active" ? old.n + 1 : old.n
  // Keep the text as it was sent, even if its references to other files have changed.
  const isFirst = old.hash === "" && old.text === undefined
  const { text, tokens } = isFirst ? now : old
  const { role } = now
  return { ...old, hash: now.hash, tokens, ...(text !== undefined && { text }), ...(role && { role }), n, hidden }
}
