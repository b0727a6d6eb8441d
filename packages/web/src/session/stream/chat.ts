import type { StudioEvent } from "./event.ts"

/** Agent ID of the chat's turns. */
export const CHAT = "chat"

/** Agent IDs of a chat's turns, and of runs that act on the chat or its files as a whole. */
const AGENTS: readonly (string | undefined)[] = [CHAT, "moments", "readings"]

/** Returns true if an event is only about the chat. */
export function isOfChat({ agent_id, type }: StudioEvent): boolean {
  return AGENTS.includes(agent_id) || type.startsWith("chat_")
}

/** The chat about the session's files, as far as known from events without their texts. */
export interface ChatView {
  /** Latest event that changed a message, the selection or the conversation. Data fetched before it is outdated. */
  changedSeq: number
  /** Latest read of the repository's files; 0 before the first. */
  filesSeq: number
  /** Turn in progress. */
  turn: ChatTurnView | null
  /** Model of the latest turn. */
  model: string | null
}

export interface ChatTurnView {
  runId: string
  requestId: string
  askedSeq: number
  /** True once the answer is complete and its edits are being applied. */
  isAnswered: boolean
  /** True once the result is available. The conversation may still be being shortened. */
  isSettled: boolean
  /** True while the beginning of the conversation is being summarised. */
  isCompacting: boolean
}

/**
 * Returns the chat after one more event; the same object if the event doesn't affect it. Null before the first message.
 */
export function reduceChat(chat: ChatView | null, event: StudioEvent): ChatView | null {
  const base = chat ?? { changedSeq: 0, filesSeq: 0, turn: null, model: null }
  switch (event.type) {
    case "run_created":
      return event.agent_id === CHAT ? { ...base, changedSeq: event.seq, model: event.model } : chat
    case "chat_asked": {
      const begun = { runId: event.run_id, requestId: event.request_id, askedSeq: event.seq }
      return {
        ...base,
        changedSeq: event.seq,
        turn: { ...begun, isAnswered: false, isSettled: false, isCompacting: false },
      }
    }
    case "chat_answered":
      return { ...base, changedSeq: event.seq, turn: base.turn && { ...base.turn, isAnswered: true } }
    case "chat_turn_settled":
      return { ...base, changedSeq: event.seq, turn: base.turn && { ...base.turn, isSettled: true } }
    case "chat_compaction_started":
      return { ...base, turn: base.turn && { ...base.turn, isCompacting: true } }
    case "chat_compacted":
      return { ...base, changedSeq: event.seq, turn: base.turn && { ...base.turn, isCompacting: false } }
    case "chat_files_read":
      return { ...base, changedSeq: event.seq, filesSeq: event.seq }
    case "chat_opened":
    case "chat_selection_changed":
    case "chat_edits_undone":
    case "chat_rewound":
    case "chat_rewind_requested":
    case "chat_fork_requested":
    case "chat_files_requested":
    case "chat_message_copied":
    case "chat_page_added":
    case "chat_page_summarized":
    case "chat_page_forgotten":
    case "chat_context_rebuilt":
    case "chat_review_started":
    case "chat_review_ended":
    case "chat_system_extra_set":
    case "chat_noted":
      return { ...base, changedSeq: event.seq }
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      if (event.agent_id !== CHAT) return { ...base, changedSeq: event.seq }
      return event.run_id === base.turn?.runId ? { ...base, changedSeq: event.seq, turn: null } : chat
    default:
      return chat
  }
}
