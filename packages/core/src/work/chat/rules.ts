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
  type FilesTask,
  type ForkInput,
  MOMENT_AGENT,
  READING_AGENT,
} from "./schema.ts"
import { activeRestore, activeTurn, type FilesWrite, type Restore } from "./state.ts"

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

/** Begins the review that a run was asked for, or another one in its place, once. */
export function startReview(runId: string, review: ChatReview & { changes: string }): Rule {
  return ({ chat: { restore } }) => (restore?.runId === runId ? [{ type: "chat_review_started", ...review }] : [])
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
  return (state) => turnRefusal(state) ?? resetNote(state)
}

function resetNote({ chat: { chatId } }: Parameters<Rule>[0]): NewEvent[] {
  if (chatId === null) return []
  return [{ type: "chat_noted", chat_id: chatId, text: "The files were reset to the last commit." }]
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

/**
 * Asks for the files of the session's repository to be read, or for something else that is done with them, with the run that
 * does it. All but a reading: not while a turn is under way.
 */
export function requestFiles(runId: string, { task }: FilesTask): Rule {
  const about = { run_id: runId, agent_id: agentOf(task), task }
  return (state) => (task === "read" ? undefined : turnRefusal(state)) ?? [{ type: "chat_files_requested", ...about }]
}

/** The agent that the run of a task belongs to. */
export function agentOf(task: FilesTask["task"]): string {
  return task === "read" ? READING_AGENT : MOMENT_AGENT
}

/** Notes the command that changes the files of the repository, in the batch that sends it. */
export function startWrite({ commandId, change }: FilesWrite): Rule {
  return () => [{ type: "chat_write_started", command_id: commandId, change }]
}

/** Ends a change of the repository's files that was made, once. The commit is null where nothing had to be changed. */
export function endWrite({ commandId, change }: FilesWrite, { commit }: { commit: string | null }): Rule {
  return (state) => {
    if (state.chat.restore?.write?.commandId !== commandId) return []
    return [...eventsOf(change, commit, state), { type: "chat_write_ended", command_id: commandId, reason: null }]
  }
}

/** Ends one that could not be made, once. */
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
      // Files that are back need not be read to be known.
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

/** The edits of an answer that were taken back. */
interface Undone {
  chatId: string
  requestId: string
  paths: string[]
}

/** Notes that the edits of an answer were taken back, once. Not while a turn is under way. */
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

/** The refusal of what can't be done while a turn is under way. */
function turnRefusal(state: Parameters<Rule>[0]): AppError | undefined {
  const restore = activeRestore(state)
  if (restore) return beingRestored(restore)
  const turn = activeTurn(state)
  if (!turn) return undefined
  const message = "A turn is under way in this chat. Wait for it, or stop it."
  return new AppError("run_active", message, { run_id: turn.runId, request_id: turn.requestId })
}

/** The refusal of what can't be done while a chat, or its files, become others as a whole. */
export function beingRestored({ kind, runId }: Restore): AppError {
  return new AppError("run_active", `${UNDER_WAY[kind]} Try again in a moment.`, { run_id: runId })
}

const UNDER_WAY: Record<Restore["kind"], string> = {
  rewind: "This chat is being rewound.",
  fork: "This chat is being copied from another session.",
  review: "The changes for this chat's review are being read.",
  reset: "The files of this chat are being reset.",
  undo: "The edits of an answer in this chat are being undone.",
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
