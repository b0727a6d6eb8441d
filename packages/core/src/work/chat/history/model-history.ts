import { mapConcurrent } from "../../../concurrency/map-concurrent.ts"
import type { EventOf } from "../../../events.ts"
import { readHistoryBack, type SessionHistory } from "../../../kernel/history.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { Records } from "../../../storage/records.ts"
import { COMPACTION_TOKENS, messageTokens, truncateHistory } from "../../context/budgets.ts"
import type { ChatEdit, ChatMessage, ChatPage, TurnSummary } from "../schema.ts"
import { STOPPED } from "../schema.ts"
import { type EditResults, editResults } from "./edit-results.ts"

/** A message of the conversation, as shown to the model. */
export interface HistoryMessage {
  /** Number that identifies the message and determines its position. */
  number: number
  role: "user" | "assistant"
  content: string
  /** Results of the edits in an answer. They are also at the end of the content. */
  results?: string
}

const MESSAGES = ["chat_asked", "chat_answered", "chat_noted", "chat_message_copied"] as const
const OF_PAGES = ["chat_pages_read", "chat_page_added", "chat_page_summarized", "chat_page_forgotten"] as const
const OF_EDITS = ["chat_edits_applied", "chat_turn_settled"] as const
const SHOWN: ReadonlySet<string> = new Set([...MESSAGES, ...OF_PAGES, ...OF_EDITS])

type MessageEvent = EventOf<(typeof MESSAGES)[number]>

/** An event that affects the prompts of a conversation. */
export type PathEvent = MessageEvent | EventOf<(typeof OF_PAGES | typeof OF_EDITS)[number] | "chat_compacted">

/** Stores that contain conversations. */
export interface ChatStores {
  records: Records
  blobs: Blobs
}

const READS_AT_ONCE = 16

/**
 * Reads the events on a conversation's path before a turn, including their texts. Texts of other events aren't fetched.
 */
export async function readPath(
  { records, blobs }: ChatStores,
  session: SessionHistory,
  { chatId, beforeSeq, signal }: { chatId: string; beforeSeq: number; signal: AbortSignal },
): Promise<PathEvent[]> {
  const back = readHistoryBack({ records }, session, "chat", { signal })
  const path = await pathTo(back, { chatId, beforeSeq })
  const hydrate = (event: PathEvent) => hydrateEvent(blobs, event, { signal })
  return (await Array.fromAsync(mapConcurrent(path, hydrate, { atOnce: READS_AT_ONCE }))) as PathEvent[]
}

/**
 * Returns the events on a conversation's current path, in order. `back` yields the newest event first. The path starts
 * at the last summary and the messages kept along with it. Skips events that a rewind discarded.
 */
export async function pathTo(
  back: AsyncIterable<EventOf<"chat_rewound"> | { type: string; seq: number; chat_id?: string }>,
  { chatId, beforeSeq }: { chatId: string; beforeSeq: number },
): Promise<PathEvent[]> {
  const path: PathEvent[] = []
  let upTo = beforeSeq - 1
  let keptFrom: number | null = null
  for await (const event of back) {
    if (keptFrom !== null && event.seq < keptFrom) break
    if (event.seq > upTo || event.chat_id !== chatId) continue
    if (isRewind(event)) upTo = event.to_seq
    else if (isCompaction(event)) {
      if (keptFrom !== null || event.case === "none") continue
      keptFrom = event.kept_from
      path.push(event)
    } else if (SHOWN.has(event.type)) path.push(event as PathEvent)
  }
  return path.reverse()
}

function isRewind(event: { type: string }): event is EventOf<"chat_rewound"> {
  return event.type === "chat_rewound"
}

function isCompaction(event: { type: string }): event is EventOf<"chat_compacted"> {
  return event.type === "chat_compacted"
}

/**
 * Converts a hydrated path to messages. An answer is included only if it directly follows its question. Unanswered
 * questions are kept, because history that was already sent must not change. Refused turns are dropped, because the
 * model would otherwise refuse later questions in the same conversation too.
 */
export function modelHistory(path: readonly PathEvent[]): HistoryMessage[] {
  const compaction = path.findLast((event) => event.type === "chat_compacted")
  const summary = compaction && compaction.summary !== "" ? summaryPair(compaction.summary as string) : []
  const refused = new Set<string | null | undefined>(path.flatMap((event) => refusedTurn(event) ?? []))
  const results = resultsIn(path)
  const messages = path.flatMap((event) =>
    isMessage(event) && !refused.has(turnIdOf(event)) ? toHistory(event, results) : [],
  )
  const history = [...summary, ...messages.filter(({ content }) => content !== "")]
  return history.filter(({ role }, at) => role === "user" || history[at - 1]?.role === "user")
}

/**
 * Drops the oldest part of a conversation that became too long because it couldn't be summarised. Replays the messages
 * in order, so that a cut stays at the same message until the next cut. Every cut invalidates the cached prefix.
 */
export function withoutOldest(history: readonly HistoryMessage[]): HistoryMessage[] {
  let kept: (HistoryMessage & { tokens: number })[] = []
  for (const message of history) {
    kept = truncateHistory([...kept, { ...message, tokens: historyTokens(message) }], COMPACTION_TOKENS)
  }
  return kept.map(({ tokens: _, ...message }) => message)
}

/** Returns the estimated number of tokens in a message. */
export function historyTokens({ content }: HistoryMessage): number {
  return messageTokens(content.length)
}

const MAX_PAGES = 5

/** Returns the pages that are shown to a conversation's model: the newest version of each URL, up to the limit. */
export function pagesOf(
  path: readonly PathEvent[],
  ofTurn: readonly ChatPage[],
  excluded: readonly string[],
): ChatPage[] {
  const newest = new Map<string, ChatPage>()
  for (const event of path) {
    if (event.type === "chat_page_forgotten") newest.delete(event.url)
    if (event.type === "chat_page_summarized") {
      const page = newest.get(event.url)
      if (page) newest.set(event.url, { ...page, summary: event.summary as string })
    }
    for (const page of pagesIn(event)) newest.set(page.url, page)
  }
  for (const page of ofTurn) if (page.error === null) newest.set(page.url, page)
  const read = [...newest.values()].filter(({ url }) => !excluded.includes(url))
  return read.slice(-MAX_PAGES)
}

/** Returns the pages in an event. Leaves out failed reads, so that an earlier version of the page remains available. */
function pagesIn(event: PathEvent): ChatPage[] {
  if (event.type === "chat_page_added") return [event.page as ChatPage]
  return event.type === "chat_pages_read" ? (event.pages as ChatPage[]).filter(({ error }) => error === null) : []
}

export function isMessage(event: PathEvent): event is MessageEvent {
  return MESSAGES.some((type) => type === event.type)
}

/** Returns the request ID of the turn that a message belongs to. Undefined if the message isn't part of a turn. */
function turnIdOf(event: MessageEvent): string | null | undefined {
  if (event.type === "chat_message_copied") return (event.message as ChatMessage).request_id
  return event.type === "chat_noted" ? undefined : event.request_id
}

/** Returns a turn's request ID if this event shows that the model refused to answer. */
function refusedTurn(event: PathEvent): string | undefined {
  if (event.type === "chat_answered") return event.finish_reason === "refusal" ? event.request_id : undefined
  if (event.type !== "chat_message_copied") return undefined
  const { result, request_id } = event.message as ChatMessage
  return result?.finish_reason === "refusal" ? (request_id ?? undefined) : undefined
}

/** Returns the results of each turn's edits, by request ID. */
function resultsIn(path: readonly PathEvent[]): ReadonlyMap<string, EditResults> {
  const results = new Map<string, EditResults>()
  const add = (turn: string, part: EditResults) => results.set(turn, { ...results.get(turn), ...part })
  for (const event of path) {
    if (event.type === "chat_edits_applied") add(event.request_id, { edits: event.edits as ChatEdit[] })
    if (event.type === "chat_turn_settled") {
      const { counts, is_unbacked: isUnbacked } = event.summary as TurnSummary
      add(event.request_id, { unreadable: counts.unreadable, isUnbacked })
    }
  }
  return results
}

function toHistory(event: MessageEvent, results: ReadonlyMap<string, EditResults>): HistoryMessage {
  const number = event.seq
  switch (event.type) {
    case "chat_asked":
      return { number, role: "user", content: event.content as string }
    case "chat_answered":
      return answerWith(number, shownContent(event), results.get(event.request_id) ?? {})
    case "chat_noted":
      return { number, role: "user", content: event.text }
    case "chat_message_copied": {
      const { role, content, result } = event.message as ChatMessage
      if (role === "user") return { number, role, content }
      return answerWith(number, content, {
        ...{ edits: result?.edit_results, unreadable: result?.counts.unreadable, isUnbacked: result?.is_unbacked },
      })
    }
  }
}

function answerWith(number: number, content: string, of: EditResults): HistoryMessage {
  const results = content === "" ? "" : editResults(content, of)
  return { number, role: "assistant", content: content + results, ...(results !== "" && { results }) }
}

/** Returns the answer as shown to people and the model. Marks an answer that was stopped. */
export function shownContent({ content, cancelled }: EventOf<"chat_answered">): string {
  return cancelled ? `${content}${STOPPED}`.trimStart() : (content as string)
}

/** Returns true if a message is part of the summary that replaces dropped messages. */
export function isSummary({ number }: HistoryMessage): boolean {
  return number <= 1
}

function summaryPair(summary: string): HistoryMessage[] {
  return [
    { number: 0, role: "user", content: `Summary of our conversation so far:\n\n${summary}` },
    { number: 1, role: "assistant", content: "Ok." },
  ]
}
