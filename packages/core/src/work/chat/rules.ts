import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { ImageRef } from "../../files/images/schema.ts"
import type { Rule } from "../../kernel/session-log.ts"
import {
  CHAT_AGENT,
  type ChatCommit,
  type ChatMode,
  type ChatPage,
  type ChatReview,
  type FilesTask,
  type ForkInput,
  MOMENT_AGENT,
  READING_AGENT,
} from "./schema.ts"
import { activeRestore, activeTurn, type FilesWrite, type Restore } from "./state.ts"

/** Maximum number of selected files. The names of more files wouldn't fit into an event. */
const MAX_SELECTED = 300
const MAX_SELECTED_BYTES = 24_000

export interface Question {
  requestId: string
  runId: string
  content: string
  /** Selected files. If undefined, the current selection is kept. */
  files?: string[]
  images: ImageRef[]
  urls: string[]
  excludedUrls: string[]
  mode: ChatMode
  /** The owner's addition to the system prompt. Unused if the session has its own addition. */
  systemExtra: string
  /** Commit to make, if this turn commits the files. */
  commit?: ChatCommit | undefined
  /** ID to use if this question starts a new conversation. */
  newChatId: string
}

/** Appends a turn's question in the batch that creates the turn's run. */
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

/** Opens a new or earlier conversation for the next message. Refused while a turn is active. */
export function openChat(chatId: string): Rule {
  return (state) => {
    if (state.chat.chatId === chatId) return []
    return turnRefusal(state) ?? [{ type: "chat_opened", chat_id: chatId }]
  }
}

/**
 * Adds a page to the context of the open conversation, or of a new one if none is open. Takes effect with the next
 * message.
 */
export function addPage(page: ChatPage, newChatId: string): Rule {
  return ({ chat }) => {
    const chatId = chat.chatId ?? newChatId
    const opened: NewEvent[] = chat.chatId === null ? [{ type: "chat_opened", chat_id: chatId }] : []
    return [...opened, { type: "chat_page_added", chat_id: chatId, page }]
  }
}

/** Removes a page from the context. */
export function forgetPage(url: string): Rule {
  return ({ chat: { chatId } }) => (chatId === null ? [] : [{ type: "chat_page_forgotten", chat_id: chatId, url }])
}

/** Makes the next turn build its context from scratch. Refused while a turn is active. */
export function rebuildContext(): Rule {
  return (state) => {
    const { chatId } = state.chat
    if (chatId === null) return []
    return turnRefusal(state) ?? [{ type: "chat_context_rebuilt", chat_id: chatId }]
  }
}

/** Starts the review that the run `runId` prepared, and replaces any earlier review. Idempotent. */
export function startReview(runId: string, review: ChatReview & { changes: string }): Rule {
  return ({ chat: { restore } }) => (restore?.runId === runId ? [{ type: "chat_review_started", ...review }] : [])
}

/** Ends the current review, if any. Refused while a turn is active. */
export function endReview(): Rule {
  return (state) => {
    if (state.chat.review === null) return []
    return turnRefusal(state) ?? [{ type: "chat_review_ended" }]
  }
}

/**
 * Sets the session's addition to the system prompt, starting with the next turn. With null, the owner's addition is
 * used.
 */
export function setSystemExtra(systemExtra: string | null): Rule {
  return ({ chat }) =>
    chat.systemExtra === systemExtra ? [] : [{ type: "chat_system_extra_set", system_extra: systemExtra }]
}

/** Records that the files were reset to the last commit. Refused while a turn is active. */
export function resetFiles(): Rule {
  return (state) => turnRefusal(state) ?? resetNote(state)
}

function resetNote({ chat: { chatId } }: Parameters<Rule>[0]): NewEvent[] {
  if (chatId === null) return []
  return [{ type: "chat_noted", chat_id: chatId, text: "The files were reset to the last commit." }]
}

/** Rewinds the conversation to an earlier event. Refused while a turn is active. */
export function rewindChat(chatId: string, toSeq: number, files: boolean): Rule {
  return (state) => {
    if (state.chat.chatId !== chatId) {
      return new AppError(
        "validation_error",
        "A different conversation is open. First open the one this point belongs to.",
      )
    }
    return turnRefusal(state) ?? [{ type: "chat_rewound", chat_id: chatId, to_seq: toSeq, files }]
  }
}

/** Requests a run that rewinds the conversation and the repository's files. Refused while a turn is active. */
export function requestRewind(runId: string, { chatId, toSeq }: { chatId: string; toSeq: number }): Rule {
  return (state) => {
    const refused = refusalOf(rewindChat(chatId, toSeq, true)(state))
    const about = { run_id: runId, agent_id: MOMENT_AGENT, chat_id: chatId, to_seq: toSeq }
    return refused ?? [{ type: "chat_rewind_requested", ...about }]
  }
}

/** Requests a run that copies another session's conversation and files. */
export function requestFork(runId: string, { chat_id, from: { session_id, to_seq } }: ForkInput): Rule {
  const about = { run_id: runId, agent_id: MOMENT_AGENT, chat_id, from: { session_id, to_seq } }
  return () => [{ type: "chat_fork_requested", ...about }]
}

/**
 * Requests a run that reads or changes the files of the session's repository. Changes are refused while a turn is
 * active.
 */
export function requestFiles(runId: string, { task }: FilesTask): Rule {
  const about = { run_id: runId, agent_id: agentOf(task), task }
  return (state) => (task === "read" ? undefined : turnRefusal(state)) ?? [{ type: "chat_files_requested", ...about }]
}

/** Returns the agent ID for a task's run. */
export function agentOf(task: FilesTask["task"]): string {
  return task === "read" ? READING_AGENT : MOMENT_AGENT
}

/** Records a command that changes the repository's files, in the same batch that sends the command. */
export function startWrite({ commandId, change }: FilesWrite): Rule {
  return () => [{ type: "chat_write_started", command_id: commandId, change }]
}

/** Records, only once, that a change to the repository's files succeeded. `commit` is null if nothing changed. */
export function endWrite({ commandId, change }: FilesWrite, { commit }: { commit: string | null }): Rule {
  return (state) => {
    if (state.chat.restore?.write?.commandId !== commandId) return []
    return [...eventsOf(change, commit, state), { type: "chat_write_ended", command_id: commandId, reason: null }]
  }
}

/** Records, only once, that a change to the repository's files failed. */
export function failWrite({ commandId }: FilesWrite, reason: string): Rule {
  return ({ chat: { restore } }) => {
    if (restore?.write?.commandId !== commandId) return []
    return [{ type: "chat_write_ended", command_id: commandId, reason }]
  }
}

function eventsOf(change: FilesWrite["change"], commit: string | null, state: Parameters<Rule>[0]): NewEvent[] {
  switch (change.kind) {
    case "rewind": {
      const { chat_id, to_seq, manifest, files } = change
      // The restored files are already known, so they are logged without reading them again.
      const read = { type: "chat_files_read" as const, manifest, files, branch: null, commit: null }
      return [{ type: "chat_rewound", chat_id, to_seq, files: true }, read]
    }
    case "reset":
      return commit === null ? [] : resetNote(state)
    case "undo": {
      const { chat_id: chatId, request_id: requestId, files } = change
      return undoneEvents(state, { chatId, requestId, paths: files, commit })
    }
  }
}

/** An answer whose edits were undone. */
interface Undone {
  chatId: string
  requestId: string
  paths: string[]
}

/** Records, only once, that the edits of an answer were undone. Refused while a turn is active. */
export function undoneEdits(undone: Undone): Rule {
  return (state) => {
    const events = undoneEvents(state, { ...undone, commit: null })
    return events.length === 0 ? [] : (turnRefusal(state) ?? events)
  }
}

function undoneEvents(
  { chat }: Parameters<Rule>[0],
  { chatId, requestId, paths, commit }: Undone & { commit: string | null },
): NewEvent[] {
  if (chat.undone.some((undone) => undone.requestId === requestId)) return []
  const text = `The edits of an answer were undone: ${paths.join(", ")}.`
  return [
    { type: "chat_edits_undone", chat_id: chatId, request_id: requestId, files: paths, commit },
    { type: "chat_noted", chat_id: chatId, text },
  ]
}

export function selectFiles(files: string[]): Rule {
  return ({ chat }) => {
    if (files.length === chat.selected.length && files.every((file, at) => file === chat.selected[at])) return []
    return selectionRefusal(files) ?? [{ type: "chat_selection_changed", files }]
  }
}

/** Returns an error if a turn or a restore is in progress. */
function turnRefusal(state: Parameters<Rule>[0]): AppError | undefined {
  const restore = activeRestore(state)
  if (restore) return beingRestored(restore)
  const turn = activeTurn(state)
  if (!turn) return undefined
  const message = "A turn is already running in this chat. Wait for it to finish, or stop it."
  return new AppError("run_active", message, { run_id: turn.runId, request_id: turn.requestId })
}

/** Returns the error for requests that arrive while a chat or its files are being restored. */
export function beingRestored({ kind, runId }: Restore): AppError {
  return new AppError("run_active", `${UNDER_WAY[kind]} Try again in a moment.`, { run_id: runId })
}

const UNDER_WAY: Record<Restore["kind"], string> = {
  rewind: "This chat is being rewound.",
  fork: "This chat is being copied from another session.",
  review: "The changes to review are being read.",
  reset: "This chat's files are being reset.",
  undo: "An answer's edits are being undone.",
}

function refusalOf(verdict: ReturnType<Rule>): AppError | undefined {
  return verdict instanceof AppError ? verdict : undefined
}

function selectionRefusal(files: string[]): AppError | undefined {
  if (selectable(files).length === files.length) return undefined
  return new AppError("validation_error", `Select at most ${MAX_SELECTED} files.`, { selected: files.length })
}

/** Returns the longest selectable prefix of these files. */
export function selectable(files: readonly string[]): string[] {
  let bytes = 0
  const tooMany = files.findIndex((file, at) => {
    bytes += Buffer.byteLength(JSON.stringify(file)) + 1
    return at >= MAX_SELECTED || bytes > MAX_SELECTED_BYTES
  })
  return tooMany === -1 ? [...files] : files.slice(0, tooMany)
}
