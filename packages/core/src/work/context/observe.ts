import {
  byHistoryNumber,
  type CachedTier,
  type ContextItem,
  type ContextState,
  numberOf,
  type Observed,
  pathOf,
  THRESHOLDS,
  type TierChange,
  typeOf,
} from "./tiers.ts"

/** Items of one step while they move between tiers. */
export interface Ledger {
  items: Map<string, ContextItem>
  changes: TierChange[]
  broken: Set<CachedTier>
  /**
   * True if a working file that comes before all active messages changed, because the messages must then be rewritten.
   */
  isConversationRewritten: boolean
  /** Number of the newest message. -1 if there are no messages. */
  lastMessage: number
  /** Paths of the files shown in full. */
  shownInFull: ReadonlySet<string>
}

/**
 * Updates the items to their observed state. Missing items are dropped. New or changed items become active with count
 * 0. The count of unchanged items that are active increases. If a tier loses or gains a shown item, the tier is broken,
 * which means that its text must be rewritten. Selecting a file breaks no tier, because the file's block stays as it
 * was sent until `hideSelected`.
 */
export function observe(state: ContextState, observed: readonly Observed[]): Ledger {
  const before = new Map(state.items.map((item) => [item.key, item]))
  const shownInFull = new Set(observed.flatMap(({ key }) => (typeOf(key) === "file" ? [pathOf(key)] : [])))
  const lastMessage = Math.max(-1, ...observed.flatMap(({ key }) => (typeOf(key) === "history" ? [numberOf(key)] : [])))
  const ledger: Ledger = {
    ...{ items: new Map(), changes: [], broken: new Set() },
    ...{ isConversationRewritten: false, lastMessage, shownInFull },
  }
  for (const now of observed) {
    const hidden = isInFull(ledger, now.key)
    const old = before.get(now.key)
    ledger.items.set(now.key, old ? unchangedOrDemoted(ledger, old, now, hidden) : newItem(ledger, now, hidden))
  }
  for (const { key, tier } of state.items) {
    if (ledger.items.has(key) || tier === "active") continue
    // Compaction removes the whole history at once, which doesn't require the tier's other items to be rewritten.
    if (typeOf(key) !== "history") ledger.broken.add(tier)
  }
  ledger.isConversationRewritten = hasChangedBeforeMessages(state, ledger)
  orderHistory(ledger)
  return ledger
}

/**
 * Returns true if a working file that came before all active messages in the previous request has changed or is gone.
 */
function hasChangedBeforeMessages({ items }: ContextState, { items: now }: Ledger): boolean {
  const active = items.filter(({ tier }) => tier === "active")
  const messages = active.flatMap(({ key }) => (typeOf(key) === "history" ? [numberOf(key)] : []))
  const first = Math.min(...messages)
  return active.some(
    ({ key, hash, after = -1 }) => typeOf(key) === "file" && after < first && now.get(key)?.hash !== hash,
  )
}

/**
 * Hides the blocks of files that are shown in full, but only in tiers that are rewritten anyway. In other tiers, hiding
 * a block of a few tokens would cause the tier and everything after it to be rewritten.
 */
export function hideSelected(ledger: Ledger): void {
  for (const item of ledger.items.values()) {
    const { key, tier } = item
    const isRewritten = tier !== "active" && ledger.broken.has(tier)
    if (isRewritten && isInFull(ledger, key)) ledger.items.set(key, { ...item, hidden: true })
  }
}

function isInFull({ shownInFull }: Pick<Ledger, "shownInFull">, key: ContextItem["key"]): boolean {
  return typeOf(key) === "symbol" && shownInFull.has(pathOf(key))
}

/** Returns the conversation's messages, in order. */
export function historyIn(ledger: Ledger): ContextItem[] {
  return [...ledger.items.values()].filter(({ key }) => typeOf(key) === "history").sort(byHistoryNumber)
}

/**
 * Restores the order of the conversation. If a summary or an undo places an active message before messages in a tier,
 * those messages leave the tier. An answer joins the tier of its question.
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

/** Moves an item to a tier and sets its count. */
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

/** Returns the items sorted by key, regardless of their insertion order. */
export function stateOf({ items }: Ledger): ContextState {
  return { items: [...items.values()].sort((a, b) => (a.key < b.key ? -1 : 1)) }
}

function newItem({ lastMessage }: Ledger, now: Observed, hidden: boolean): ContextItem {
  const item: ContextItem = { ...now, tier: "active", n: 0, hidden }
  return typeOf(now.key) === "file" && lastMessage >= 0 ? { ...item, after: lastMessage } : item
}

function unchangedOrDemoted(ledger: Ledger, old: ContextItem, now: Observed, hidden: boolean): ContextItem {
  // While the full text of the file is shown, its block needn't be up to date.
  if (hidden && !old.hidden && old.tier !== "active") return old
  // Replacing a placeholder's empty hash with the real hash doesn't count as a change.
  const isSame = old.hash === now.hash || old.hash === ""
  if (!isSame) {
    if (old.tier !== "active") {
      ledger.changes.push({ key: old.key, from: old.tier, to: "active" })
      // An item that stays hidden isn't part of its tier's text, so the tier doesn't have to be rewritten.
      if (!(old.hidden && hidden)) ledger.broken.add(old.tier)
    }
    const item = newItem(ledger, now, hidden)
    return typeOf(now.key) === "file" ? { ...item, edits: (old.edits ?? 0) + 1 } : item
  }
  if (old.hidden !== hidden && old.tier !== "active") ledger.broken.add(old.tier)
  const n = old.tier === "active" ? old.n + 1 : old.n
  // Keep the text as it was sent, even if its references to other files are outdated.
  const isFirst = old.hash === "" && old.text === undefined
  const { text, tokens } = isFirst ? now : old
  const { role } = now
  return { ...old, hash: now.hash, tokens, ...(text !== undefined && { text }), ...(role && { role }), n, hidden }
}
