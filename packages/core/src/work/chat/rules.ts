import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import {
  CHAT_AGENT,
  type ChatCommit,
  type ChatImage,
  type ChatMode,
  type ChatPage,
  type ChatReview,
  type ForkInput,
  MOMENT_AGENT,
} from "./schema.ts"
import { activeRestore, activeTurn, type Restore, type RestoringWrite } from "./state.ts"

/** More selected files than this are no selection, and their names would not fit an event. */
const MAX_SELECTED = 300
const MAX_SELECTED_BYTES = 24_000

export interface Question {
  requestId: string
  runId: string
  content: string
  /** Undefined for those that are selected already. */
  files?: string[]
  images: ChatImage[]
  urls: string[]
  excludedUrls: string[]
  mode: ChatMode
  /** The owner's addition to the system prompt, which counts where the session has none of its own. */
  systemExtra: string
  /** Of a turn that commits the files. */
  commit?: ChatCommit | undefined
  /** Of a conversation that begins with this question. */
  newChatId: string
}

/** The question with which a turn begins: appended in the batch that creates its run. */
export function askQuestion(question: Question): Rule {
  return (state) => {
    const files = question.files ?? state.chat.selected
    const refused = selectionRefusal(files)
    if (refused) return refused
    const restore = activeRestore(state)
    if (restore) return beingRestored(restore)
    const systemExtra = state.chat.systemExtra ?? question.systemExtra
    const asked: NewEvent = {
      ...{ type: "chat_asked", run_id: question.runId, agent_id: CHAT_AGENT, request_id: question.requestId },
      ...{ chat_id: state.chat.chatId ?? question.newChatId, content: question.content, files },
      mode: state.chat.review ? "review" : question.mode,
      ...{ images: question.images, urls: question.urls, excluded_urls: question.excludedUrls },
      workspace_version: state.workspace.version,
      ...(question.commit && { commit: question.commit }),
      ...(systemExtra !== "" && { system_extra: systemExtra }),
    }
    return [asked]
  }
}

/** Begins a conversation, or goes on with an earlier one: the next message belongs to it. Not while a turn is under way. */
export function openChat(chatId: string): Rule {
  return (state) => {
    if (state.chat.chatId === chatId) return []
    return turnRefusal(state) ?? [{ type: "chat_opened", chat_id: chatId }]
  }
}

/** Shows the model a page from the next message on, in the conversation that is open or in a new one. */
export function addPage(page: ChatPage, newChatId: string): Rule {
  return ({ chat }) => {
    const chatId = chat.chatId ?? newChatId
    const opened: NewEvent[] = chat.chatId === null ? [{ type: "chat_opened", chat_id: chatId }] : []
    return [...opened, { type: "chat_page_added", chat_id: chatId, page }]
  }
}

/** Shows the model a page no longer. */
export function forgetPage(url: string): Rule {
  return ({ chat: { chatId } }) => (chatId === null ? [] : [{ type: "chat_page_forgotten", chat_id: chatId, url }])
}

/** Has the next turn deal its context out anew. Not while a turn is under way. */
export function rebuildContext(): Rule {
  return (state) => {
    const { chatId } = state.chat
    if (chatId === null) return []
    return turnRefusal(state) ?? [{ type: "chat_context_rebuilt", chat_id: chatId }]
  }
}

/** Begins a review, or another one in its place. Not while a turn is under way. */
export function startReview(review: ChatReview & { changes: string }): Rule {
  return (state) => turnRefusal(state) ?? [{ type: "chat_review_started", ...review }]
}

/** Ends the review, if there is one. Not while a turn is under way. */
export function endReview(): Rule {
  return (state) => {
    if (state.chat.review === null) return []
    return turnRefusal(state) ?? [{ type: "chat_review_ended" }]
  }
}

/** Sets the session's addition to the system prompt, from the next turn on; null for its owner's. */
export function setSystemExtra(systemExtra: string | null): Rule {
  return ({ chat }) =>
    chat.systemExtra === systemExtra ? [] : [{ type: "chat_system_extra_set", system_extra: systemExtra }]
}

/** Notes that the files are those of the last commit again. Not while a turn is under way. */
export function resetFiles(): Rule {
  return (state) => {
    const { chatId } = state.chat
    const refused = turnRefusal(state)
    if (refused || chatId === null) return refused ?? []
    return [{ type: "chat_noted", chat_id: chatId, text: "The files were reset to the last commit." }]
  }
}

/** Takes the conversation back to an earlier event of its log. Not while a turn is under way. */
export function rewindChat(chatId: string, toSeq: number, files: boolean): Rule {
  return (state) => {
    if (state.chat.chatId !== chatId) {
      return new AppError("validation_error", "Another conversation is open now. Go to that of this moment first.")
    }
    return turnRefusal(state) ?? [{ type: "chat_rewound", chat_id: chatId, to_seq: toSeq, files }]
  }
}

/** Asks for the conversation and the repository's files of an earlier event, with the run that does it. Not while a turn is under way. */
export function requestRewind(runId: string, { chatId, toSeq }: { chatId: string; toSeq: number }): Rule {
  return (state) => {
    const refused = refusalOf(rewindChat(chatId, toSeq, true)(state))
    const about = { run_id: runId, agent_id: MOMENT_AGENT, chat_id: chatId, to_seq: toSeq }
    return refused ?? [{ type: "chat_rewind_requested", ...about }]
  }
}

/** Asks for the conversation and the files of another session's moment, with the run that copies them. */
export function requestFork(runId: string, { chat_id, from: { session_id, to_seq } }: ForkInput): Rule {
  const about = { run_id: runId, agent_id: MOMENT_AGENT, chat_id, from: { session_id, to_seq } }
  return () => [{ type: "chat_fork_requested", ...about }]
}

/** Notes the command that writes the files of a moment, in the batch that sends it. */
export function startRewind({ chatId, toSeq, commandId, manifest, files }: RestoringWrite): Rule {
  const about = { chat_id: chatId, to_seq: toSeq, command_id: commandId, manifest, files }
  return () => [{ type: "chat_rewind_started", ...about }]
}

/** Ends a rewind whose files are back, or could not be taken back, once. Files that are back need not be read to be known. */
export function endRewind({ chatId, toSeq, commandId, manifest, files }: RestoringWrite, failure: string | null): Rule {
  return ({ chat: { restore } }) => {
    if (restore?.write?.commandId !== commandId) return []
    if (failure === null) {
      return [
        { type: "chat_rewound", chat_id: chatId, to_seq: toSeq, files: true },
        { type: "chat_files_read", manifest, files, branch: null, commit: null },
      ]
    }
    return [{ type: "chat_rewind_failed", chat_id: chatId, command_id: commandId, reason: failure }]
  }
}

/** Notes that the edits of an answer were taken back, once. Not while a turn is under way, unless that is done already. */
export function undoneEdits({
  chatId,
  requestId,
  files,
  commit,
  isDone = false,
}: {
  chatId: string
  requestId: string
  files: readonly { path: string }[]
  commit: string | null
  isDone?: boolean
}): Rule {
  return (state) => {
    if (state.chat.undone.some((undone) => undone.requestId === requestId)) return []
    const paths = files.map(({ path }) => path)
    const undone = { type: "chat_edits_undone" as const, chat_id: chatId, request_id: requestId, files: paths, commit }
    const text = `The edits of an answer were undone: ${paths.join(", ")}.`
    return (!isDone && turnRefusal(state)) || [undone, { type: "chat_noted", chat_id: chatId, text }]
  }
}

export function selectFiles(files: string[]): Rule {
  return ({ chat }) => {
    if (files.length === chat.selected.length && files.every((file, at) => file === chat.selected[at])) return []
    return selectionRefusal(files) ?? [{ type: "chat_selection_changed", files }]
  }
}

/** The refusal of what can't be done while a turn is under way. */
function turnRefusal(state: Parameters<Rule>[0]): AppError | undefined {
  const restore = activeRestore(state)
  if (restore) return beingRestored(restore)
  const turn = activeTurn(state)
  if (!turn) return undefined
  const message = "A turn is under way in this chat. Wait for it, or stop it."
  return new AppError("run_active", message, { run_id: turn.runId, request_id: turn.requestId })
}

/** The refusal of what can't be done while a chat is taken to another moment. */
export function beingRestored({ kind, runId }: Restore): AppError {
  const what = kind === "rewind" ? "is being rewound" : "is being copied from another session"
  return new AppError("run_active", `This chat ${what}. Try again in a moment.`, { run_id: runId })
}

function refusalOf(verdict: ReturnType<Rule>): AppError | undefined {
  return verdict instanceof AppError ? verdict : undefined
}

function selectionRefusal(files: string[]): AppError | undefined {
  if (selectable(files).length === files.length) return undefined
  return new AppError("validation_error", `Select at most ${MAX_SELECTED} files.`, { selected: files.length })
}

/** As many of the files, from the first on, as can be selected. */
export function selectable(files: readonly string[]): string[] {
  let bytes = 0
  const tooMany = files.findIndex((file, at) => {
    bytes += Buffer.byteLength(JSON.stringify(file)) + 1
    return at >= MAX_SELECTED || bytes > MAX_SELECTED_BYTES
  })
  return tooMany === -1 ? [...files] : files.slice(0, tooMany)
}
