/** Tiers of the context, from the most stable to the least stable. `active` contains the current question. */
export const TIERS = ["L0", "L1", "L2", "L3", "active"] as const
export type Tier = (typeof TIERS)[number]

export const CACHED_TIERS = ["L0", "L1", "L2", "L3"] as const
export type CachedTier = (typeof CACHED_TIERS)[number]

/**
 * Counts for each tier. An item enters a tier with the count `entry`, and may move up once its count reaches
 * `promotion`.
 */
export const THRESHOLDS = {
  L0: { entry: 12, promotion: null },
  L1: { entry: 9, promotion: 12 },
  L2: { entry: 6, promotion: 9 },
  L3: { entry: 3, promotion: 6 },
  active: { entry: 0, promotion: 3 },
} as const satisfies Record<Tier, { entry: number; promotion: number | null }>

/** Key of an item: `file:<path>`, `symbol:<path>` or `history:<number>`. */
export type ItemKey = `${ItemType}:${string}`
export type ItemType = "file" | "symbol" | "history"

/** An item that can be shown to a model, in its current state. */
export interface Observed {
  key: ItemKey
  /**
   * Hash of the content or, for a symbol block, of its symbols without references to other files. Empty if not known
   * yet.
   */
  hash: string
  tokens: number
  /** Text of a symbol block. */
  text?: string
  /** Role of a message. */
  role?: "user" | "assistant"
}

export interface ContextItem extends Observed {
  tier: Tier
  /**
   * Number of consecutive requests in which the item was shown unchanged. In a tier, the count starts at the tier's
   * `entry`.
   */
  n: number
  /**
   * True while a symbol block is hidden because its file is shown in full. The block keeps its tier, and remains
   * visible until that tier is rewritten.
   */
  hidden: boolean
  /** Number of times that a file was edited while it was shown. Absent if it was never edited. */
  edits?: number
  /**
   * Number of the last message before a file's current text was first shown. An active file stays directly after this
   * message. Absent if there was no message.
   */
  after?: number
}

/** All items, sorted by key. Contains only plain data, so that a request can be reproduced. */
export interface ContextState {
  items: ContextItem[]
}

/** An item's move between tiers. */
export interface TierChange {
  key: ItemKey
  from: Tier
  to: Tier
}

/** Result of a step from one request to the next. */
export interface Advanced {
  state: ContextState
  changes: TierChange[]
  /** Tiers whose text has changed since the previous request, not counting additions at the end. */
  broken: CachedTier[]
}

export interface AdvanceOptions {
  /** Minimum number of tokens in each tier. 0 for providers without a cache. */
  target: number
  /** Number of tokens in the file list, which comes after L3 and is rewritten whenever L3 grows. */
  treeTokens?: number
}

export function typeOf(key: ItemKey): ItemType {
  return key.slice(0, key.indexOf(":")) as ItemType
}

export function pathOf(key: ItemKey): string {
  return key.slice(key.indexOf(":") + 1)
}

export function isPromotion({ from, to }: TierChange): boolean {
  return TIERS.indexOf(to) < TIERS.indexOf(from)
}

export function tierAbove(tier: Tier): CachedTier | undefined {
  const at = TIERS.indexOf(tier)
  return at > 0 ? (TIERS[at - 1] as CachedTier) : undefined
}

export function tokensOf(items: readonly ContextItem[]): number {
  return items.reduce((sum, { tokens, hidden }) => sum + (hidden ? 0 : tokens), 0)
}

/** Returns a message's number. */
export function numberOf(key: ItemKey): number {
  return Number(pathOf(key))
}

/** Compares items by message number, so that 10 comes after 2. */
export function byHistoryNumber(a: ContextItem, b: ContextItem): number {
  return numberOf(a.key) - numberOf(b.key)
}
