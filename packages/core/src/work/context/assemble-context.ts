import type { ImageRef } from "../../files/images/schema.ts"
import type { Message } from "../../models/provider.ts"
import { estimateTokens } from "./budgets.ts"
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
  numberOf,
  pathOf,
  type Tier,
  typeOf,
} from "./tiers.ts"

/** Maximum number of cache breakpoints per request, because providers reject more. */
const MAX_MARKS = 4

type TextMessage = Extract<Message, { role: "user" | "assistant" }>

export interface ContextParts {
  systemPrompt: string
  /** Explanation of the code map's notation. */
  legend: string
  state: ContextState
  /** Tiers whose text has changed since the previous request. */
  rewritten?: readonly CachedTier[]
  /** Contents of the selected files, by path. */
  files: ReadonlyMap<string, string>
  /**
   * Messages of the conversation so far, by number. For example, the item with the key `history:3` has the number 3.
   */
  history: ReadonlyMap<number, { role: "user" | "assistant"; content: string }>
  /** Paths of all files. The file list is shortened to its budget. Empty to leave out the list. */
  tree: readonly string[]
  pages?: readonly ShownPage[]
  /** The changes under review. Empty if there are none. */
  review?: string
  message: string
  images?: ImageRef[]
  /**
   * Minimum length of a prefix that the model's provider caches, in tokens. Undefined if the provider doesn't accept
   * cache breakpoints.
   */
  minCachedTokens?: number
}

/** A request's messages, most stable first. */
export interface AssembledContext {
  system: string
  messages: TextMessage[]
  /** Index of the last message of each cached tier. -1 stands for the system prompt. */
  marks: number[]
  /**
   * Indexes of the last messages of cached prefixes, at most four:
   * - The end of each tier. If there are too many tiers, the first tiers lose their breakpoints once they have been
   *   cached.
   * - The end of the stable parts after the tiers, such as the file list. An edit rewrites only the text after it.
   * - The end of the whole request, because the next request begins with the same messages unless an item moves.
   */
  cacheAfter: number[]
  /** Estimated number of tokens in each part of the request. */
  tokens: Record<Tier | "tree" | "urls" | "review", number>
}

/**
 * Assembles a request. Equal parts always produce byte-identical requests. Empty parts are left out. A prefix that is
 * too short to be cached isn't marked, because some providers wouldn't answer such a request at all.
 */
export function assembleContext(parts: ContextParts): AssembledContext {
  const { state, minCachedTokens } = parts
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
  add("active", conversationOf(parts, itemsOf("active")))
  add("active", [{ role: "user", content: message, ...(images.length > 0 && { images }) }])
  const total = Object.values(tokens).reduce((sum, part) => sum + part, 0)
  const isCached = (upTo: number) => minCachedTokens !== undefined && upTo >= minCachedTokens
  const ends = new Set([...marks, ...(isCached(total - tokens.active) ? [fixed] : [])])
  const cacheAfter = [...chosenEnds([...ends], parts), ...(isCached(total) ? [messages.length - 1] : [])]
  return { system, messages, marks, cacheAfter, tokens }
}

/**
 * Chooses the breakpoints other than the end of the request. If one of the first two tiers has new text, marks the end
 * of that tier instead of the end of the last tier. Later breakpoints cover that tier too, but only until the parts
 * after it change.
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

/**
 * Returns the active files and messages. Each file comes after the last message before its current text was first
 * shown. Thus, selecting or editing a file doesn't change anything before it.
 */
function conversationOf(parts: ContextParts, items: readonly ContextItem[]): TextMessage[] {
  const messages = items.filter(({ key }) => typeOf(key) === "history").sort(byHistoryNumber)
  const files = items.filter(({ key }) => typeOf(key) === "file")
  // Show all files that a request added in one message, so that a later addition doesn't change this message.
  const groups = [...Map.groupBy(files, ({ after = -1, n }) => `${after} ${n}`).values()]
  const texts: TextMessage[] = []
  let from = 0
  for (const group of groups.sort(([a], [b]) => placeOf(a) - placeOf(b) || countOf(b) - countOf(a))) {
    const shown = shownFiles(parts, group)
    if (shown.length === 0) continue
    const after = placeOf(group[0])
    // Don't place files between a question and its answer.
    const isNext = (number: number) => number > after && parts.history.get(number)?.role === "user"
    const next = messages.findIndex(({ key }, at) => at >= from && isNext(numberOf(key)))
    const upTo = next === -1 ? messages.length : next
    texts.push(...historyOf(parts, messages.slice(from, upTo)), ...pair(workingFilesSection(shown)))
    from = upTo
  }
  return [...texts, ...historyOf(parts, messages.slice(from))]
}

const placeOf = (item?: ContextItem) => item?.after ?? -1
const countOf = (item?: ContextItem) => item?.n ?? 0

/**
 * Returns the messages in a tier. A message without an answer gets a placeholder answer, because many servers require
 * alternating roles.
 */
function historyOf({ history }: ContextParts, items: readonly ContextItem[]): TextMessage[] {
  const ordered = items.filter(({ key }) => typeOf(key) === "history").sort(byHistoryNumber)
  const messages = ordered.flatMap(({ key }) => history.get(numberOf(key)) ?? [])
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
