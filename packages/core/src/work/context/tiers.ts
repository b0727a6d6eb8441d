/** Tiers of the context, from the most stable to the least stable, which contains the current question. */
export const TIERS = ["L0", "L1", "L2", "L3", "active"] as const
export type Tier = (typeof TIERS)[number]

export const CACHED_TIERS = ["L0", "L1", "L2", "L3"] as const
export type CachedTier = (typeof CACHED_TIERS)[number]

/** An item enters a tier with the count `entry`. It may move up once its count reaches `promotion`. */
export const THRESHOLDS = {
  L0: { entry: 12, promotion: null },
  L1: { entry: 9, promotion: 12 },
  L2: { entry: 6, promotion: 9 },
  L3: { entry: 3, promotion: 6 },
  active: { entry: 0, promotion: 3 },
} as const satisfies Record<Tier, { entry: number; promotion: number | null }>

/** `file:<path>`, `symbol:<path>`, `history:<number>`. */
export type ItemKey = `${ItemType}:${string}`
export type ItemType = "file" | "symbol" | "history"

/** Something that can be shown to a model, in its current state. */
export interface Observed {
  key: ItemKey
  /**
   * Hash of the content. For a symbol block, hash of its symbols, without references to other files. Empty if not yet
   * known.
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
   * Number of consecutive requests that showed the item unchanged. In a tier, the count starts at the tier's `entry`.
   */
  n: number
  /**
   * True while a symbol block is hidden because its file is shown in full. The block keeps its tier. It stays visible
   * until that tier is rewritten.
   */
  hidden: boolean
  /** Number of times a file was edited while shown. Absent if never. */
  edits?: number
  /**
   * Number of the last message before a file's current text was first shown. An active file stays right behind this
   * message. Absent if there was none.
   */
  after?: number
}

/** All items, sorted by key. Plain data, which makes a request reproducible. */
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
  /** Tiers whose text has changed since the last request, ignoring additions at the end. */
  broken: CachedTier[]
}

export interface AdvanceOptions {
  /** Number of tokens each tier should have. 0 for providers without a cache. */
  target: number
  /** Number of tokens in the file list. It follows L3, and is rewritten whenever L3 grows. */
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

/** Sorts by number, which puts 10 after 2. */
export function byHistoryNumber(a: ContextItem, b: ContextItem): number {
  return numberOf(a.key) - numberOf(b.key)
}
