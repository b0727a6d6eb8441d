import type { EventOf } from "../../events.ts"
import { type History, readHistory } from "../../kernel/history.ts"
import { hydrateEvent } from "../../log/payload.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { type ChatEdit, type ChatMessage, STOPPED, type TurnResult, type TurnSummary } from "./schema.ts"

export type ChatEvent = EventOf<
  | "chat_opened"
  | "chat_asked"
  | "chat_answered"
  | "chat_edits_applied"
  | "chat_turn_settled"
  | "chat_compacted"
  | "chat_noted"
>

/** A conversation as it is now. */
export interface Transcript {
  chatId: string
  /** What people read, from the first message. */
  messages: ChatMessage[]
  /** What the model reads in place of the messages before `keptFrom`; null before the first compaction. */
  compaction: { summary: string; keptFrom: number } | null
}

interface Source {
  sid: string
  state: SessionState
  history: History
}

/** All events of the session's conversations, with their texts. */
export async function* chatEventsOf(
  { records, blobs }: { records: Records; blobs: Blobs },
  session: Source,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<ChatEvent> {
  for await (const event of readHistory({ records }, session, "chat", { signal })) {
    yield (await hydrateEvent(blobs, event, { signal })) as ChatEvent
  }
}

/** The conversation of this id; empty where it has no message yet. */
export async function readTranscript(
  deps: { records: Records; blobs: Blobs },
  session: Source,
  chatId: string,
  options: { signal: AbortSignal },
): Promise<Transcript> {
  let transcript = emptyTranscript(chatId)
  for await (const event of chatEventsOf(deps, session, options)) {
    if (event.chat_id === chatId) transcript = applyChatEvent(transcript, event)
  }
  return transcript
}

export function emptyTranscript(chatId: string): Transcript {
  return { chatId, messages: [], compaction: null }
}

/** The conversation after one more of its events, whose texts were fetched. */
export function applyChatEvent(transcript: Transcript, event: ChatEvent): Transcript {
  switch (event.type) {
    case "chat_asked":
      return added(transcript, {
        ...placeOf(event),
        ...{ request_id: event.request_id, role: "user", content: event.content as string },
        ...{ files: event.files, images: event.images, mode: event.mode, version: event.workspace_version },
      })
    case "chat_answered":
      return added(transcript, {
        ...placeOf(event),
        ...{ request_id: event.request_id, role: "assistant", content: shownContent(event) },
        result: unsettled(event),
        version: event.shown_version,
      })
    case "chat_edits_applied":
      return withResult(transcript, event, { edit_results: event.edits as ChatEdit[] })
    case "chat_turn_settled":
      return withResult(transcript, event, event.summary as TurnSummary)
    case "chat_noted":
      return added(transcript, { ...placeOf(event), role: "user", content: event.text, system_event: true })
    case "chat_compacted": {
      const summary = event.summary as string
      return event.case === "none" ? transcript : { ...transcript, compaction: { summary, keptFrom: event.kept_from } }
    }
    default:
      return transcript
  }
}

/** What a turn's result is before its edits are applied. */
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

function shownContent({ content, cancelled }: EventOf<"chat_answered">): string {
  return cancelled ? `${content}${STOPPED}`.trimStart() : (content as string)
}

type NewMessage = Pick<ChatMessage, "seq" | "ts" | "role" | "content"> & Partial<ChatMessage>

function added(transcript: Transcript, message: NewMessage): Transcript {
  const whole: ChatMessage = {
    ...{ request_id: null, system_event: false, files: [], images: [], mode: "edit", result: null, version: 0 },
    ...message,
  }
  return { ...transcript, messages: [...transcript.messages, whole] }
}

function withResult(transcript: Transcript, { request_id }: { request_id: string }, part: Partial<TurnResult>) {
  const isAnswer = ({ role, request_id: of }: ChatMessage) => role === "assistant" && of === request_id
  const messages = transcript.messages.map((message) => {
    if (!isAnswer(message) || !message.result) return message
    const result = { ...message.result, ...part }
    return { ...message, result, version: part.workspace_version ?? message.version }
  })
  return { ...transcript, messages }
}

function placeOf({ seq, ts }: ChatEvent): Pick<ChatMessage, "seq" | "ts"> {
  return { seq, ts }
}
