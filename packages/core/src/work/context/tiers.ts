/** The places of what a model is shown, from the most stable to what is asked just now. */
export const TIERS = ["L0", "L1", "L2", "L3", "active"] as const
export type Tier = (typeof TIERS)[number]

export const CACHED_TIERS = ["L0", "L1", "L2", "L3"] as const
export type CachedTier = (typeof CACHED_TIERS)[number]

/** An item enters a tier with `entry` as its count, and may go on to the next above from `promotion` on. */
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

/** Something that a model may be shown, as it is now. */
export interface Observed {
  key: ItemKey
  /** Of the content; of a symbol block that of the symbols, whatever its text says of other files. Empty where it isn't known yet. */
  hash: string
  tokens: number
  /** The text of a symbol block. */
  text?: string
  /** The role of a message. */
  role?: "user" | "assistant"
}

export interface ContextItem extends Observed {
  tier: Tier
  /** Requests in a row that showed it unchanged; in a tier, counted from the tier's own beginning. */
  n: number
  /** A symbol block isn't shown while its file is shown in full, and keeps its place. */
  hidden: boolean
  /** The number of times that a file was edited while it was shown; left out for none. */
  edits?: number
}

/** All items, by their keys. Plain data, so that a request can be repeated as it was. */
export interface ContextState {
  items: ContextItem[]
}

export const emptyContext: ContextState = { items: [] }

/** A move of an item between tiers. */
export interface TierChange {
  key: ItemKey
  from: Tier
  to: Tier
}

/** A step from one request to the next. */
export interface Advanced {
  state: ContextState
  changes: TierChange[]
  /** The tiers whose text is another than in the last request. What only grows at its end isn't among them. */
  broken: CachedTier[]
}

export interface AdvanceOptions {
  /** Tokens that a tier should have; 0 for providers that cache nothing. */
  target: number
  /** Tokens of the list of files, which stands behind L3: each time that L3 grows, it is written anew. */
  treeTokens?: number
}

/** Decides where items stand in the next request, from where they stood in the last one. Pure. */
export interface TierStrategy {
  advance(state: ContextState, observed: readonly Observed[], options: AdvanceOptions): Advanced
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

/** Older messages first: keys are numbers, and 10 comes after 2. */
export function byHistoryNumber(a: ContextItem, b: ContextItem): number {
  return Number(pathOf(a.key)) - Number(pathOf(b.key))
}
