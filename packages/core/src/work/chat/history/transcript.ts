import type { EventOf } from "../../../events.ts"
import { readHistory, type SessionHistory } from "../../../kernel/history.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import {
  type ChatBranch,
  type ChatCompaction,
  type ChatEdit,
  type ChatMessage,
  STOPPED,
  type TurnResult,
  type TurnSummary,
} from "../schema.ts"
import { type ChatStores, shownContent } from "./model-history.ts"

const SHOWN = [
  ...(["chat_opened", "chat_asked", "chat_answered", "chat_edits_applied", "chat_edits_undone"] as const),
  ...(["chat_turn_settled", "chat_compacted", "chat_rewound", "chat_message_copied", "chat_noted"] as const),
] as const

/** End of a run whose turn was never settled, with fields that identify the turn. */
type TurnEnd = EventOf<"run_failed" | "run_cancelled"> & Pick<EventOf<"chat_asked">, "chat_id" | "request_id">

export type ChatEvent = EventOf<(typeof SHOWN)[number]> | TurnEnd

function isShown(event: { type: string }): event is EventOf<(typeof SHOWN)[number]> {
  return SHOWN.some((type) => type === event.type)
}

/** Current state of a conversation. */
export interface Transcript {
  chatId: string
  /** All messages that are shown to people, oldest first. */
  messages: ChatMessage[]
  /** Latest shortening of the conversation for the model. Null if it was never shortened. */
  compaction: ChatCompaction | null
  /** Branches that were abandoned by rewinds. A later rewind can return to any of them. */
  branches: ChatBranch[]
}

/**
 * Yields the hydrated events of `chatId` or, by default, of all conversations of the session. Doesn't fetch the texts
 * of other events.
 */
export async function* chatEventsOf(
  { records, blobs }: ChatStores,
  session: SessionHistory,
  { chatId, signal }: { chatId?: string; signal: AbortSignal },
): AsyncGenerator<ChatEvent> {
  const turns = new Map<string, Pick<TurnEnd, "chat_id" | "request_id">>()
  for await (const event of readHistory({ records }, session, "chat", { signal })) {
    if (event.type === "chat_asked") turns.set(event.run_id, { chat_id: event.chat_id, request_id: event.request_id })
    if (event.type === "chat_turn_settled") turns.delete(event.run_id)
    const shown = isEnd(event) ? endOfTurn(event, turns) : isShown(event) ? event : undefined
    if (!shown || (chatId !== undefined && shown.chat_id !== chatId)) continue
    yield (await hydrateEvent(blobs, shown, { signal })) as ChatEvent
  }
}

function isEnd(event: { type: string }): event is EventOf<"run_failed" | "run_cancelled"> {
  return event.type === "run_failed" || event.type === "run_cancelled"
}

function endOfTurn(
  event: EventOf<"run_failed" | "run_cancelled">,
  turns: ReadonlyMap<string, Pick<TurnEnd, "chat_id" | "request_id">>,
): TurnEnd | undefined {
  const turn = turns.get(event.run_id)
  return turn && { ...event, ...turn }
}

/** Returns the conversation with this ID. Empty if it has no messages. */
export async function readTranscript(
  deps: ChatStores,
  session: SessionHistory,
  chatId: string,
  options: { signal: AbortSignal },
): Promise<Transcript> {
  return foldChat(chatId, await Array.fromAsync(chatEventsOf(deps, session, { ...options, chatId })))
}

/** Folds hydrated events into a conversation. A rewind restores the state directly after an earlier event. */
export function foldChat(chatId: string, events: readonly ChatEvent[]): Transcript {
  const none: Transcript = { chatId, messages: [], compaction: null, branches: [] }
  const rewinds = events.flatMap((event) => (event.type === "chat_rewound" ? [event.to_seq] : []))
  // States at rewind targets. They are stored because folding the events again for each rewind would take exponential
  // time.
  const moments: { seq: number; transcript: Transcript }[] = []
  let transcript = copyOf(none)
  for (const [at, event] of events.entries()) {
    if (event.type === "chat_rewound") {
      const then = moments.findLast(({ seq }) => seq <= event.to_seq)?.transcript ?? none
      transcript = rewound(transcript, event, copyOf(then))
    } else apply(transcript, event)
    const next = events[at + 1]?.seq ?? Number.POSITIVE_INFINITY
    const isMoment = rewinds.some((seq) => seq >= event.seq && seq < next)
    if (isMoment) moments.push({ seq: event.seq, transcript: copyOf(transcript) })
  }
  return transcript
}

/** Makes a shallow copy. Copies may share messages, because messages are never mutated. */
function copyOf(transcript: Transcript): Transcript {
  return { ...transcript, messages: [...transcript.messages] }
}

function rewound(before: Transcript, { seq, ts, to_seq }: EventOf<"chat_rewound">, then: Transcript): Transcript {
  const kept = new Set(then.messages.map((message) => message.seq))
  const left = before.messages.filter((message) => !kept.has(message.seq))
  const branch = { seq, ts, to_seq, left_seq: seq - 1, message_count: left.length, preview: previewOf(left) }
  return { ...then, branches: left.length > 0 ? [...before.branches, branch] : before.branches }
}

function previewOf(messages: ChatMessage[]): string {
  return (messages.find(({ role }) => role === "user")?.content ?? "").slice(0, 100).toWellFormed()
}

function apply(transcript: Transcript, event: Exclude<ChatEvent, { type: "chat_rewound" }>): void {
  switch (event.type) {
    case "chat_asked":
      add(transcript, {
        ...placeOf(event),
        ...{ request_id: event.request_id, role: "user", content: event.content as string },
        ...{ files: event.files, images: event.images, mode: event.mode, version: event.workspace_version },
      })
      break
    case "chat_answered":
      add(transcript, {
        ...placeOf(event),
        ...{ request_id: event.request_id, role: "assistant", content: shownContent(event) },
        result: unsettled(event),
        version: event.shown_version,
      })
      break
    case "chat_edits_applied":
      addResult(transcript, event, { edit_results: event.edits as ChatEdit[] })
      break
    case "chat_edits_undone":
      markUndone(transcript, event)
      break
    case "chat_turn_settled":
      addEnd(transcript, event, event.summary as TurnSummary)
      break
    case "run_failed":
    case "run_cancelled":
      addEnd(transcript, event, summaryOf(event))
      break
    case "chat_noted":
      add(transcript, { ...placeOf(event), role: "user", content: event.text, system_event: true })
      break
    case "chat_message_copied":
      add(transcript, { ...(event.message as ChatMessage), seq: event.seq, end_seq: event.seq })
      break
    case "chat_compacted": {
      const { seq, ts, case: made, kept_from, summary, tokens_before, tokens_after } = event
      const facts = { seq, ts, kept_from, summary: summary as string, tokens_before, tokens_after }
      if (made !== "none") transcript.compaction = { case: made, ...facts }
    }
  }
}

/** Returns the result of a turn before its edits are applied. */
export function unsettled({ content, cancelled, finish_reason, usage }: EventOf<"chat_answered">): TurnResult {
  return { ...noResult, response: content as string, token_usage: usage, cancelled, finish_reason }
}

export const noResult: TurnResult = {
  response: "",
  token_usage: {
    ...{ input: null, cache_read: null, cache_write: null, output: null },
    ...{ estimated_input: null, estimated_output: null },
  },
  edit_blocks: [],
  shell_commands: [],
  passed: [],
  failed: [],
  skipped: [],
  counts: { passed: 0, already_applied: 0, failed: 0, skipped: 0, not_in_context: 0 },
  files_modified: [],
  files_created: [],
  files_auto_added: [],
  edit_results: [],
  cancelled: false,
  error: null,
  error_info: null,
  binary_files: [],
  invalid_files: [],
  shed_files: [],
  finish_reason: null,
  url_context: [],
  retry_prompt: null,
  workspace_version: 0,
  notice: null,
}

type NewMessage = Pick<ChatMessage, "seq" | "ts" | "role" | "content"> & Partial<ChatMessage>

function add(transcript: Transcript, message: NewMessage): void {
  transcript.messages.push({
    ...{
      end_seq: message.seq,
      request_id: null,
      system_event: false,
      files: [],
      images: [],
      mode: "edit",
      result: null,
      version: 0,
    },
    ...message,
  })
}

function markUndone({ messages }: Transcript, { request_id }: { request_id: string }): void {
  const at = answerAt(messages, request_id)
  const answer = messages[at]
  if (answer) messages[at] = { ...answer, undone: true }
}

/** Adds a turn's outcome to its answer. If the turn ended without an answer, adds an empty answer first. */
function addEnd(transcript: Transcript, event: ChatEvent & { request_id: string }, summary: Partial<TurnResult>): void {
  const { request_id } = event
  if (answerAt(transcript.messages, request_id) === -1) {
    const content = summary.error || summary.notice ? "" : STOPPED.trim()
    add(transcript, { ...placeOf(event), request_id, role: "assistant", content, result: noResult })
  }
  addResult(transcript, event, summary)
}

function summaryOf(event: TurnEnd): Partial<TurnResult> {
  return event.type === "run_failed" ? { error: event.message } : { cancelled: true }
}

function answerAt(messages: readonly ChatMessage[], requestId: string): number {
  return messages.findLastIndex(({ role, request_id }) => role === "assistant" && request_id === requestId)
}

function addResult(
  { messages }: Transcript,
  { request_id, seq }: { request_id: string; seq: number },
  part: Partial<TurnResult>,
): void {
  const at = answerAt(messages, request_id)
  const answer = messages[at]
  if (!answer?.result) return
  const result = { ...answer.result, ...part }
  messages[at] = { ...answer, result, end_seq: seq, version: part.workspace_version ?? answer.version }
}

function placeOf({ seq, ts }: ChatEvent): Pick<ChatMessage, "seq" | "ts"> {
  return { seq, ts }
}
