import type { Image, Message } from "../../models/provider.ts"
import {
  ACKNOWLEDGED,
  mapContinuation,
  mapSection,
  referenceFilesSection,
  type ShownFile,
  type ShownPage,
  treeSection,
  UNANSWERED,
  URLS_ACKNOWLEDGED,
  urlSection,
  workingFilesSection,
} from "./sections.ts"
import {
  byHistoryNumber,
  CACHED_TIERS,
  type CachedTier,
  type ContextItem,
  type ContextState,
  pathOf,
  type Tier,
  typeOf,
} from "./tiers.ts"

/** The number of marks that the provider takes; one more is an error. */
const MAX_MARKS = 4

type TextMessage = Extract<Message, { role: "user" | "assistant" }>

export interface ContextParts {
  systemPrompt: string
  /** Explains the kinds and marks of the map. */
  legend: string
  state: ContextState
  /** The tiers whose text is another than in the last request. */
  rewritten?: readonly CachedTier[]
  /** The texts of the selected files, by path. */
  files: ReadonlyMap<string, string>
  /** The messages of the conversation so far, by the numbers that their items have. */
  history: ReadonlyMap<number, { role: "user" | "assistant"; content: string }>
  /** The paths of all files, shown as far as the tree's budget goes; none leaves the tree out. */
  tree: readonly string[]
  pages?: readonly ShownPage[]
  /** The changes that are reviewed; empty for none. */
  review?: string
  message: string
  images?: Image[]
  /** Tokens of the smallest prefix that the model's provider caches; undefined where it takes no marks. */
  minCachedTokens?: number
  estimateTokens: (chars: number) => number
}

/** A request's messages, in the order of how stable they are. */
export interface AssembledContext {
  system: string
  messages: TextMessage[]
  /** The last messages of the tiers that are to be cached; -1 is the system prompt. */
  marks: number[]
  /**
   * The messages after which a prefix ends that is to be cached, at most four: those of the tiers; the parts behind them that
   * seldom change, such as the list of files, for an edit has only what follows written anew; and the whole request, for the
   * next one begins with it unless something moves. Where that are too many, the first tiers' go once they were marked.
   */
  cacheAfter: number[]
  /** Tokens by the part of the request, estimated. */
  tokens: Record<Tier | "tree" | "urls" | "review", number>
}

/**
 * Puts together what a request shows, byte for byte the same for the same parts. A part that is empty is left out whole. A
 * prefix that is too short to be cached isn't marked: some providers answer nothing at all then.
 */
export function assembleContext(parts: ContextParts): AssembledContext {
  const { state, estimateTokens, minCachedTokens } = parts
  const inTier = Map.groupBy(state.items, ({ tier }) => tier)
  const itemsOf = (tier: Tier) => inTier.get(tier) ?? []
  const system = systemText(parts, itemsOf("L0"))
  const messages: TextMessage[] = []
  const marks: number[] = []
  const tokens = { L0: estimateTokens(system.length), L1: 0, L2: 0, L3: 0, active: 0, tree: 0, urls: 0, review: 0 }
  const add = (part: keyof typeof tokens, added: TextMessage[]) => {
    messages.push(...added)
    tokens[part] += added.reduce((sum, { content }) => sum + estimateTokens(content.length), 0)
  }

  let prefix = 0
  for (const tier of CACHED_TIERS) {
    const before = messages.length
    if (tier !== "L0") add(tier, pair(tierText(parts, tier, itemsOf(tier))))
    add(tier, historyOf(parts, itemsOf(tier)))
    prefix += tokens[tier]
    const isEmpty = tier !== "L0" && messages.length === before
    if (!isEmpty && minCachedTokens !== undefined && prefix >= minCachedTokens) marks.push(messages.length - 1)
  }
  const { tree, pages = [], review = "", message, images = [] } = parts
  add("tree", pair(tree.length > 0 ? treeSection(tree) : ""))
  add("urls", pair(pages.length > 0 ? urlSection(pages) : "", URLS_ACKNOWLEDGED))
  add("review", pair(review))
  const fixed = messages.length - 1
  const working = shownFiles(parts, itemsOf("active"))
  add("active", pair(working.length > 0 ? workingFilesSection(working) : ""))
  add("active", historyOf(parts, itemsOf("active")))
  add("active", [{ role: "user", content: message, ...(images.length > 0 && { images }) }])
  const total = Object.values(tokens).reduce((sum, part) => sum + part, 0)
  const isCached = (upTo: number) => minCachedTokens !== undefined && upTo >= minCachedTokens
  const ends = new Set([...marks, ...(isCached(total - tokens.active) ? [fixed] : [])])
  const cacheAfter = [...chosenEnds([...ends], parts), ...(isCached(total) ? [messages.length - 1] : [])]
  return { system, messages, marks, cacheAfter, tokens }
}

/**
 * The ends that are marked besides the request's own. A first tier's is, in place of the last tier's, when its text is new:
 * what stands behind it is found by later marks for as long as it stays, and nothing else is left once that has changed.
 */
function chosenEnds(ends: readonly number[], { rewritten = [] }: ContextParts): number[] {
  if (ends.length < MAX_MARKS) return [...ends]
  const isFirstNew = rewritten.includes("L0") || rewritten.includes("L1")
  return isFirstNew ? [...ends.slice(-MAX_MARKS, -2), ...ends.slice(-1)] : ends.slice(1 - MAX_MARKS)
}

function systemText(parts: ContextParts, items: readonly ContextItem[]): string {
  const map = [parts.legend, symbolText(items)].filter(Boolean).join("\n")
  const files = shownFiles(parts, items)
  const texts = [parts.systemPrompt, map && mapSection(map), files.length > 0 && referenceFilesSection("L0", files)]
  return texts.filter(Boolean).join("\n\n")
}

function tierText(parts: ContextParts, tier: Exclude<CachedTier, "L0">, items: readonly ContextItem[]): string {
  const symbols = symbolText(items)
  const files = shownFiles(parts, items)
  const texts = [symbols && mapContinuation(symbols), files.length > 0 && referenceFilesSection(tier, files)]
  return texts.filter(Boolean).join("\n\n")
}

function symbolText(items: readonly ContextItem[]): string {
  const shown = items.filter(({ key, hidden }) => typeOf(key) === "symbol" && !hidden)
  return shown.map(({ text = "" }) => text).join("\n")
}

function shownFiles({ files }: ContextParts, items: readonly ContextItem[]): ShownFile[] {
  return items.flatMap(({ key }) => {
    const text = typeOf(key) === "file" ? files.get(pathOf(key)) : undefined
    return text === undefined ? [] : [{ path: pathOf(key), text }]
  })
}

/** The messages of a tier. Roles alternate, as many servers demand: what was never answered gets a line that says so. */
function historyOf({ history }: ContextParts, items: readonly ContextItem[]): TextMessage[] {
  const ordered = items.filter(({ key }) => typeOf(key) === "history").sort(byHistoryNumber)
  const messages = ordered.flatMap(({ key }) => history.get(Number(pathOf(key))) ?? [])
  return messages.flatMap((message, at) => {
    const isUnanswered = message.role === "user" && messages[at + 1]?.role !== "assistant"
    return isUnanswered ? [message, { role: "assistant", content: UNANSWERED }] : [message]
  })
}

function pair(text: string, answer = ACKNOWLEDGED): TextMessage[] {
  return text === ""
    ? []
    : [
        { role: "user", content: text },
        { role: "assistant", content: answer },
      ]
}
