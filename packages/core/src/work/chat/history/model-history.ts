import type { EventOf } from "../../../events.ts"
import { type History, readHistoryBack } from "../../../kernel/history.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import { mapConcurrent } from "../../../map-concurrent.ts"
import type { SessionState } from "../../../state.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { Records } from "../../../storage/records.ts"
import {
  COMPACTION_TOKENS,
  estimateTokens,
  messageTokens,
  truncateHistory,
  unknownRatio,
} from "../../context/budgets.ts"
import type { ChatMessage, ChatPage } from "../schema.ts"
import { STOPPED } from "../schema.ts"

/** A message of the conversation as the model reads it. */
export interface HistoryMessage {
  /** Names the message among the others, in their order. */
  number: number
  role: "user" | "assistant"
  content: string
}

export type PathEvent = EventOf<
  | "chat_asked"
  | "chat_answered"
  | "chat_noted"
  | "chat_message_copied"
  | "chat_pages_read"
  | "chat_page_added"
  | "chat_page_summarized"
  | "chat_page_forgotten"
  | "chat_compacted"
>

interface Source {
  sid: string
  state: SessionState
  history: History
}

const READS_AT_ONCE = 16

/** The way of a conversation before a turn, with its texts. Only the events that are a part of it are read. */
export async function readPath(
  { records, blobs }: { records: Records; blobs: Blobs },
  session: Source,
  { chatId, beforeSeq, signal }: { chatId: string; beforeSeq: number; signal: AbortSignal },
): Promise<PathEvent[]> {
  const back = readHistoryBack({ records }, session, "chat", { signal })
  const path = await pathTo(back, { chatId, beforeSeq })
  const hydrate = (event: PathEvent) => hydrateEvent(blobs, event, { signal })
  return (await Array.fromAsync(mapConcurrent(path, hydrate, { atOnce: READS_AT_ONCE }))) as PathEvent[]
}

/**
 * The events of the way that a conversation took to where it is, from the newest back to the last summary and what it left as
 * it was: in their order, without what was undone. A rewind leads on to the event that it went back to, whatever lies between.
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

const MESSAGES = ["chat_asked", "chat_answered", "chat_noted", "chat_message_copied"]
const SHOWN: ReadonlySet<string> = new Set([
  ...MESSAGES,
  ...["chat_pages_read", "chat_page_added", "chat_page_summarized", "chat_page_forgotten"],
])

function isRewind(event: { type: string }): event is EventOf<"chat_rewound"> {
  return event.type === "chat_rewound"
}

function isCompaction(event: { type: string }): event is EventOf<"chat_compacted"> {
  return event.type === "chat_compacted"
}

/**
 * The messages of a path whose texts were fetched. An answer follows its question directly, and is left out without it; what
 * was never answered stays, for nothing of the past may change once it was sent. A turn that was refused goes all the same: whatever is asked with it in
 * the conversation would be refused, too.
 */
export function modelHistory(path: readonly PathEvent[]): HistoryMessage[] {
  const compaction = path.findLast((event) => event.type === "chat_compacted")
  const summary = compaction && compaction.summary !== "" ? summaryPair(compaction.summary as string) : []
  const refused = new Set<string | null | undefined>(path.flatMap((event) => refusedTurn(event) ?? []))
  const messages = path.flatMap((event) => (isMessage(event) && !refused.has(turnIdOf(event)) ? toHistory(event) : []))
  const history = [...summary, ...messages.filter(({ content }) => content !== "")]
  return history.filter(({ role }, at) => role === "user" || history[at - 1]?.role === "user")
}

/**
 * A conversation without its oldest part, once it is twice as long as one may be: no summary could be made of it. Each message
 * is counted as it came, so that after such a cut nothing is cut again for a long while: every cut costs the cached prefix.
 */
export function withoutOldest(history: readonly HistoryMessage[]): HistoryMessage[] {
  let kept: (HistoryMessage & { tokens: number })[] = []
  for (const message of history) {
    kept = truncateHistory([...kept, { ...message, tokens: historyTokens(message) }], COMPACTION_TOKENS)
  }
  return kept.map(({ tokens: _, ...message }) => message)
}

/** Tokens of a message, estimated. */
export function historyTokens({ content }: HistoryMessage): number {
  return messageTokens(estimateTokens(unknownRatio, content.length))
}

const MAX_PAGES = 5

/** The pages that a conversation has read, the newest of each address and of all: what could not be read is not among them. */
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

/** Of a page that could not be read, what an earlier reading had stays. */
function pagesIn(event: PathEvent): ChatPage[] {
  if (event.type === "chat_page_added") return [event.page as ChatPage]
  return event.type === "chat_pages_read" ? (event.pages as ChatPage[]).filter(({ error }) => error === null) : []
}

type MessageEvent = EventOf<"chat_asked" | "chat_answered" | "chat_noted" | "chat_message_copied">

export function isMessage(event: PathEvent): event is MessageEvent {
  return MESSAGES.includes(event.type)
}

/** The turn of a message; undefined where it belongs to none. */
function turnIdOf(event: MessageEvent): string | null | undefined {
  if (event.type === "chat_message_copied") return (event.message as ChatMessage).request_id
  return event.type === "chat_noted" ? undefined : event.request_id
}

/** The turn that a message was the refusal of. */
function refusedTurn(event: PathEvent): string | undefined {
  if (event.type === "chat_answered") return event.finish_reason === "refusal" ? event.request_id : undefined
  if (event.type !== "chat_message_copied") return undefined
  const { result, request_id } = event.message as ChatMessage
  return result?.finish_reason === "refusal" ? (request_id ?? undefined) : undefined
}

function toHistory(event: MessageEvent): HistoryMessage {
  const number = event.seq
  switch (event.type) {
    case "chat_asked":
      return { number, role: "user", content: event.content as string }
    case "chat_answered":
      return { number, role: "assistant", content: shownContent(event) }
    case "chat_noted":
      return { number, role: "user", content: event.text }
    case "chat_message_copied": {
      const { role, content } = event.message as ChatMessage
      return { number, role, content }
    }
  }
}

/** The answer as people and the model read it: of one that was stopped, that it was. */
export function shownContent({ content, cancelled }: EventOf<"chat_answered">): string {
  return cancelled ? `${content}${STOPPED}`.trimStart() : (content as string)
}

/** Whether a message stands for those that were left out, and isn't anybody's. */
export function isSummary({ number }: HistoryMessage): boolean {
  return number <= 1
}

function summaryPair(summary: string): HistoryMessage[] {
  return [
    { number: 0, role: "user", content: `Summary of our conversation so far:\n\n${summary}` },
    { number: 1, role: "assistant", content: "Ok." },
  ]
}
