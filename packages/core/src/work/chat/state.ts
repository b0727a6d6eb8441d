import type { LogEvent } from "../../events.ts"
import type { Part } from "../../kernel/part.ts"
import type { SessionState } from "../../state.ts"
import { endsRun } from "../runs/schema.ts"
import type { ChatReview, ChatTotals, FilesChange, FilesTask, TurnUsage } from "./schema.ts"

/** State of a turn, as needed by the chat's rules. */
export interface ChatTurn {
  requestId: string
  runId: string
  chatId: string
  askedSeq: number
  answeredSeq: number | null
  settledSeq: number | null
  /** True once the run of the turn has ended. */
  isEnded: boolean
}

export interface ChatState {
  /** Conversation of the next message. Null before the first message. */
  chatId: string | null
  /** Paths of the files shown to the model in full. */
  selected: string[]
  /** Manifest of the repository's files as they were last read. Null if they were never read. */
  files: string | null
  /** Most recent turns, newest last. */
  turns: ChatTurn[]
  totals: ChatTotals
  /** Most recent requests whose edits were undone, each with the sequence number of the undo. */
  undone: { requestId: string; seq: number }[]
  /** Last committed version of the files. Null before the first commit. */
  committed: { version: number; manifest: string | null } | null
  /** The current review, with its changes or a reference to the changes. Null if no review is in progress. */
  review: (ChatReview & { changes: unknown }) | null
  /** The session's own addition to the system prompt. Null if the owner's addition applies. */
  systemExtra: string | null
  /**
   * Latest rewind or similar operation. Null once the operation has succeeded. If it failed, it is kept until the next
   * message.
   */
  restore: Restore | null
  /**
   * Latest read of the repository's files. Null once the read has succeeded. If it failed, it is kept until the next
   * read.
   */
  reading: { runId: string; failure: string | null } | null
}

/** Operation of a run on the whole conversation or on all of its files. */
export interface Restore {
  kind: "rewind" | "fork" | Exclude<FilesTask["task"], "read">
  runId: string
  /** Command that writes the repository's files. Set from the request of the command until its outcome is known. */
  write: FilesWrite | null
  /** Reason for the operation's failure. Null if it hasn't failed. */
  failure: string | null
  /** True if the operation's run has ended, although the outcome of its command may still be unknown. */
  isAbandoned: boolean
}

export interface FilesWrite {
  /** ID of the worktree command. */
  commandId: string
  change: FilesChange
}

/** Maximum number of undone answers in the state. An answer in the state can't be undone again. */
const MAX_UNDONE = 100

/** Maximum number of turns in the state. */
const MAX_TURNS = 20

const noTotals: ChatTotals = {
  turns: 0,
  prompt: 0,
  completion: 0,
  cache_read: 0,
  cache_write: 0,
  estimated_turns: 0,
  cost_usd: 0,
  unpriced_turns: 0,
}

export const chatPart: Part<ChatState> = {
  version: 10,
  initial: {
    chatId: null,
    selected: [],
    files: null,
    turns: [],
    totals: noTotals,
    undone: [],
    restore: null,
    reading: null,
    committed: null,
    review: null,
    systemExtra: null,
  },
  apply(chat, event) {
    switch (event.type) {
      case "chat_opened":
      case "chat_message_copied":
        return { ...chat, chatId: event.chat_id }
      case "chat_selection_changed":
        return { ...chat, selected: event.files }
      case "chat_files_read":
        return { ...chat, files: event.manifest, reading: chat.reading?.failure == null ? chat.reading : null }
      case "chat_committed":
        return { ...chat, committed: { version: event.version, manifest: event.manifest } }
      case "chat_review_started": {
        const { base, tip, base_commit, tip_commit, summary, changes } = event
        const review = { base, tip, base_commit, tip_commit, summary, changes }
        return { ...chat, review, restore: chat.restore?.kind === "review" ? null : chat.restore }
      }
      case "chat_review_ended":
        return { ...chat, review: null }
      case "chat_system_extra_set":
        return { ...chat, systemExtra: event.system_extra }
      case "chat_edits_undone":
        return { ...chat, undone: [...chat.undone, { requestId: event.request_id, seq: event.seq }].slice(-MAX_UNDONE) }
      case "chat_files_requested": {
        const { run_id: runId, task } = event
        if (task === "read") return { ...chat, reading: { runId, failure: null } }
        return { ...chat, restore: { ...noRestore, kind: task, runId } }
      }
      case "chat_write_started": {
        const { command_id: commandId, change } = event
        return { ...chat, restore: chat.restore && { ...chat.restore, write: { commandId, change } } }
      }
      case "chat_rewind_requested":
        return { ...chat, restore: { ...noRestore, kind: "rewind", runId: event.run_id } }
      case "chat_fork_requested":
        return { ...chat, chatId: event.chat_id, restore: { ...noRestore, kind: "fork", runId: event.run_id } }
      case "chat_write_ended":
        return { ...chat, restore: restoreAfterWrite(chat.restore, event) }
      case "chat_rewound": {
        // Forget undos that came after the target, because the restored files are from before these undos.
        const undone = event.files ? chat.undone.filter(({ seq }) => seq <= event.to_seq) : chat.undone
        return { ...chat, undone, restore: withoutWrite(chat.restore) }
      }
      case "chat_asked":
        return {
          ...chat,
          ...{ chatId: event.chat_id, selected: event.files, turns: withTurn(chat.turns, event), restore: null },
        }
      case "chat_answered":
        return { ...chat, turns: changed(chat.turns, event, { answeredSeq: event.seq }) }
      case "chat_turn_settled": {
        const turns = changed(chat.turns, event, { settledSeq: event.seq })
        return {
          ...chat,
          turns,
          selected: event.files,
          totals: totalsAfter(chat.totals, event.usage, event.cost_usd ?? null),
        }
      }
      default:
        if (!endsRun(event)) return chat
        return {
          ...chat,
          turns: changed(chat.turns, event, { isEnded: true }),
          restore: restoreAfterRun(chat.restore, event),
          reading: readingAfterRun(chat.reading, event),
        }
    }
  },
}

/** Returns the active rewind or similar operation, if any. Until it ends, nothing else can change the conversation. */
export function activeRestore({ chat: { restore } }: Pick<SessionState, "chat">): Restore | undefined {
  return restore?.failure === null ? restore : undefined
}

const noRestore = { write: null, failure: null, isAbandoned: false }

function restoreAfterWrite(
  restore: Restore | null,
  { command_id, reason }: { command_id: string; reason: string | null },
): Restore | null {
  if (restore?.write?.commandId !== command_id) return restore
  return reason === null ? withoutWrite(restore) : { ...restore, write: null, failure: reason }
}

/** Clears the finished write. Returns null if the operation is complete, too. A running fork continues afterwards. */
function withoutWrite(restore: Restore | null): Restore | null {
  return restore?.kind === "fork" && !restore.isAbandoned ? { ...restore, write: null } : null
}

function restoreAfterRun(restore: Restore | null, event: LogEvent): Restore | null {
  if (restore?.runId !== event.run_id || restore === null) return restore
  if (restore.write) return { ...restore, isAbandoned: true }
  if (event.type === "run_completed") return null
  return { ...restore, failure: restore.failure ?? reasonOf(event), isAbandoned: true }
}

function readingAfterRun(reading: ChatState["reading"], event: LogEvent): ChatState["reading"] {
  if (reading === null || reading.runId !== event.run_id) return reading
  return event.type === "run_completed" ? null : { ...reading, failure: reasonOf(event) }
}

function reasonOf(event: LogEvent): string {
  return event.type === "run_failed" ? event.message : "It was stopped."
}

/** Returns the active turn, if any. Until it ends, no other turn can start. */
export function activeTurn({ chat }: Pick<SessionState, "chat">): ChatTurn | undefined {
  return chat.turns.find(({ isEnded }) => !isEnded)
}

/** Returns the turn of a request if it is among the newest turns. */
export function turnOf({ chat }: Pick<SessionState, "chat">, requestId: string): ChatTurn | undefined {
  return chat.turns.find((turn) => turn.requestId === requestId)
}

function totalsAfter(totals: ChatTotals, usage: TurnUsage, cost: number | null): ChatTotals {
  const { input, cache_read, cache_write, output } = usage
  const isReported = input !== null || output !== null
  return {
    turns: totals.turns + 1,
    prompt: totals.prompt + (input ?? 0) + (cache_read ?? 0) + (cache_write ?? 0),
    completion: totals.completion + (output ?? 0),
    cache_read: totals.cache_read + (cache_read ?? 0),
    cache_write: totals.cache_write + (cache_write ?? 0),
    estimated_turns: totals.estimated_turns + (isReported ? 0 : 1),
    cost_usd: totals.cost_usd + (cost ?? 0),
    unpriced_turns: totals.unpriced_turns + (cost === null ? 1 : 0),
  }
}

function withTurn(turns: ChatTurn[], event: LogEvent & { type: "chat_asked" }): ChatTurn[] {
  const { request_id: requestId, run_id: runId, chat_id: chatId, seq: askedSeq } = event
  const turn = { requestId, runId, chatId, askedSeq, answeredSeq: null, settledSeq: null, isEnded: false }
  return [...turns, turn].slice(-MAX_TURNS)
}

function changed(turns: ChatTurn[], { run_id }: { run_id?: string }, change: Partial<ChatTurn>): ChatTurn[] {
  return turns.some(({ runId }) => runId === run_id)
    ? turns.map((turn) => (turn.runId === run_id ? { ...turn, ...change } : turn))
    : turns
}
