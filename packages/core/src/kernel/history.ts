import type { EventOf, EventType, LogEvent } from "../events.ts"
import type { SessionState } from "../state.ts"
import type { Records, StoredRecord } from "../storage/records.ts"
import { deflate, inflate } from "../text/deflate.ts"
import { historyPartition } from "./keys.ts"

/** Topics in a session's history, each with its event types. */
const topics = {
  terminals: ["terminal_opened", "terminal_closed"],
  messages: ["user_message", "assistant_message", "milestone"],
  milestones: ["milestone"],
  chat: [
    "chat_opened",
    "chat_files_read",
    "chat_asked",
    "chat_pages_read",
    "chat_files_added",
    "chat_context_prepared",
    "chat_answered",
    "chat_edits_applied",
    "chat_edits_undone",
    "chat_committed",
    "chat_turn_settled",
    "chat_compacted",
    "chat_rewound",
    "chat_message_copied",
    "chat_noted",
    "chat_page_added",
    "chat_page_summarized",
    "chat_page_forgotten",
    "chat_context_rebuilt",
    // If a turn never ended, only the end of its run shows that it is over.
    "run_failed",
    "run_cancelled",
  ],
  team: ["team_started", "team_message_sent", "team_finished", "trigger_fired"],
  versions: ["workspace_committed"],
  turns: ["run_created", "agent_session_opened", "agent_turn_started", "provider_switched"],
} as const satisfies Record<string, readonly EventType[]>

/** Version of the topics. Increment it whenever the topics change, so that each session's history is stored again. */
export const HISTORY_VERSION = 10

export type Topic = keyof typeof topics
type TopicEvent<T extends Topic> = EventOf<(typeof topics)[T][number]>

/** The stored part of a session's history, and the events that aren't stored yet. */
export interface History {
  /** Sequence number up to which the events of all topics are stored. */
  storedSeq: number
  /** Events after `storedSeq` that belong to any topic. */
  unstored: readonly LogEvent[]
}

/** A session whose history can be read. */
export interface SessionHistory {
  sid: string
  state: SessionState
  history: History
}

// Maximum size of the events in a record. Even if they hardly compress, the record stays well below the store's limit.
const MAX_CHARACTERS = 192 * 1024

const indexed: ReadonlySet<string> = new Set(Object.values(topics).flat())

/** True if the event belongs to any topic. */
export function isIndexed(event: LogEvent): boolean {
  return indexed.has(event.type)
}

/**
 * Stores the events after `from` and up to `to`, by topic. Idempotent: the same range may be stored again, and the
 * ranges of several writers may overlap.
 */
export async function storeHistory(
  records: Records,
  sid: string,
  { from, to, events }: { from: number; to: number; events: LogEvent[] },
  options: { signal: AbortSignal },
): Promise<void> {
  for (const [topic, types] of Object.entries(topics)) {
    const ofTopic = events.filter(({ type }) => (types as readonly string[]).includes(type))
    for (const chunk of chunksOf(ofTopic, from, to)) {
      const key = { partition: historyPartition(sid, topic), sort: `${padded(chunk.to)}-${padded(chunk.from)}` }
      const bytes = await deflate(JSON.stringify(chunk.events))
      await records.put(key, { value: { from: chunk.from, to: chunk.to }, bytes }, options)
    }
  }
}

/** Yields the events of a topic after `since`, up to the head of the given state. */
export async function* readHistory<T extends Topic>(
  { records }: { records: Records },
  { sid, state, history }: SessionHistory,
  topic: T,
  { since = 0, signal }: { since?: number; signal: AbortSignal },
): AsyncGenerator<TopicEvent<T>> {
  let seen = Math.max(since, seqBeforeSession(state))
  for await (const record of records.range(historyPartition(sid, topic), { from: padded(seen + 1), signal })) {
    for (const event of await decodeEvents(record))
      if (event.seq > seen && event.seq <= state.head) yield event as TopicEvent<T>
    seen = Math.max(seen, Number(record.value.to))
  }
  yield* unstored(history, topic, { after: seen, upTo: state.head })
}

/** Yields the events of a topic, newest first. */
export async function* readHistoryBack<T extends Topic>(
  { records }: { records: Records },
  { sid, state, history }: SessionHistory,
  topic: T,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<TopicEvent<T>> {
  const begin = seqBeforeSession(state)
  let below = Math.max(begin, history.storedSeq)
  yield* unstored(history, topic, { after: below, upTo: state.head }).reverse()
  const stored = { to: `${padded(below)}~`, reverse: true, signal }
  for await (const record of records.range(historyPartition(sid, topic), stored)) {
    const events = (await decodeEvents(record)).filter(({ seq }) => seq <= below && seq > begin)
    yield* events.reverse() as TopicEvent<T>[]
    below = Math.min(below, Number(record.value.from))
    if (below <= begin) return
  }
}

/** Removes the stored events before `begin`. */
export async function removeHistory(
  records: Records,
  sid: string,
  begin: number,
  options: { signal?: AbortSignal },
): Promise<void> {
  for (const topic of Object.keys(topics)) {
    const earlier = { to: padded(begin), ...options }
    for await (const { key } of records.range(historyPartition(sid, topic), earlier)) await records.remove(key, options)
  }
}

function unstored<T extends Topic>(
  { unstored }: History,
  topic: T,
  { after, upTo }: { after: number; upTo: number },
): TopicEvent<T>[] {
  const types: readonly string[] = topics[topic]
  const ofTopic = unstored.filter(({ seq, type }) => seq > after && seq <= upTo && types.includes(type))
  return ofTopic as TopicEvent<T>[]
}

/** Returns the sequence number before the session's first event. */
function seqBeforeSession({ session }: SessionState): number {
  return (session.since?.seq ?? 1) - 1
}

/** Splits a range of events into chunks that each fit into one record. */
function* chunksOf(events: LogEvent[], from: number, to: number) {
  let chunk = { from, events: [] as LogEvent[], characters: 0 }
  for (const event of events) {
    const { length } = JSON.stringify(event)
    const last = chunk.events.at(-1)
    if (last && chunk.characters + length > MAX_CHARACTERS) {
      yield { ...chunk, to: last.seq }
      chunk = { from: last.seq, events: [], characters: 0 }
    }
    chunk.events.push(event)
    chunk.characters += length
  }
  if (chunk.events.length > 0) yield { ...chunk, to }
}

async function decodeEvents(record: StoredRecord): Promise<LogEvent[]> {
  return JSON.parse(await inflate(record.bytes ?? Buffer.alloc(0)))
}

function padded(seq: number): string {
  return String(seq).padStart(12, "0")
}
