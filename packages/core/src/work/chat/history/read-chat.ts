import { openWorkspace } from "../../../files/workspaces/files.ts"
import { workspacePathIfValid } from "../../../files/workspaces/path.ts"
import { readHistoryBack } from "../../../kernel/history.ts"
import { logName } from "../../../kernel/keys.ts"
import type { SessionHandle } from "../../../kernel/session-handle.ts"
import type { Log } from "../../../log/log.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import { runOf } from "../../runs/state.ts"
import type { ChatContext } from "../context-schema.ts"
import { shownFiles } from "../files/shown-files.ts"
import type { ChatSession, ChatView, FoundMessage, Selection } from "../request-schema.ts"
import { type ChatMessage, ChatReview } from "../schema.ts"
import { activeTurn, type Restore } from "../state.ts"
import type { ChatStores } from "./model-history.ts"
import { chatEventsOf, foldChat, readTranscript, type Transcript } from "./transcript.ts"

interface ReadDeps extends ChatStores {
  log: Log
}

const PAGE = 100
const PREVIEW_CHARS = 100

/** Returns the chat with the newest messages of its conversation, or with the newest messages before `before`. */
export async function viewChat(
  deps: ReadDeps,
  session: SessionHandle,
  { before, defaultModel, ...options }: { before?: number; defaultModel: string; signal: AbortSignal },
): Promise<ChatView> {
  const { chat } = session.state
  const { messages: all, branches, compaction } = await readTranscript(deps, session, chat.chatId ?? "", options)
  const earlier = all.filter(({ seq }) => before === undefined || seq < before)
  const messages = earlier.slice(-PAGE)
  const last = chat.turns.at(-1)
  return {
    chat_id: chat.chatId,
    selected_files: chat.selected,
    messages,
    before: earlier.length > messages.length ? (messages[0]?.seq ?? null) : null,
    branches,
    compaction,
    in_flight: await turnInFlight(deps, session, options),
    model: (last && runOf(session.state, last.runId)?.model) ?? defaultModel,
    mode: chat.review ? "review" : (all.findLast(isQuestion)?.mode ?? "edit"),
    system_extra: chat.systemExtra,
    restoring: chat.restore && toView(chat.restore),
    reading: chat.reading && { run_id: chat.reading.runId, error: chat.reading.failure },
    review: chat.review && ChatReview.parse(chat.review),
    totals: chat.totals,
  }
}

function toView({ kind, runId, failure }: Restore): NonNullable<ChatView["restoring"]> {
  return { kind, run_id: runId, error: failure }
}

function isQuestion({ role, system_event }: ChatMessage): boolean {
  return role === "user" && !system_event
}

/** Returns the active turn, with its answer so far. */
async function turnInFlight(
  { log }: ReadDeps,
  { sid, state }: SessionHandle,
  options: { signal: AbortSignal },
): Promise<ChatView["in_flight"]> {
  const turn = activeTurn(state)
  if (!turn) return null
  let content = ""
  for await (const event of log.read(logName(sid), turn.askedSeq, options)) {
    if (event.seq > state.head) break
    if (event.run_id !== turn.runId) continue
    if (event.type === "run_claimed" || event.type === "model_retried") content = ""
    if (event.type === "model_text") content += event.text
  }
  return { request_id: turn.requestId, run_id: turn.runId, content }
}

/** Reads all conversations of the session. */
async function readTranscripts(
  deps: ReadDeps,
  session: SessionHandle,
  options: { signal: AbortSignal },
): Promise<Transcript[]> {
  const all = await Array.fromAsync(chatEventsOf(deps, session, options))
  const chats = Map.groupBy(all, ({ chat_id }) => chat_id)
  return [...chats].map(([chatId, events]) => foldChat(chatId, events)).filter(({ messages }) => messages.length > 0)
}

/** Lists the conversations of the session, most recently used first. */
export async function listChats(
  deps: ReadDeps,
  session: SessionHandle,
  { limit, ...options }: { limit: number; signal: AbortSignal },
): Promise<ChatSession[]> {
  const transcripts = await readTranscripts(deps, session, options)
  const lastSeq = ({ messages }: Transcript) => messages.at(-1)?.seq ?? 0
  return transcripts
    .sort((a, b) => lastSeq(b) - lastSeq(a))
    .slice(0, limit)
    .map(({ chatId, messages: [first, ...rest] }) => ({
      session_id: chatId,
      timestamp: first?.ts ?? "",
      message_count: 1 + rest.length,
      preview: (first?.content ?? "").slice(0, PREVIEW_CHARS).toWellFormed(),
      first_role: first?.role ?? "user",
      current: chatId === session.state.chat.chatId,
    }))
}

/**
 * Searches the messages of all conversations for a text, ignoring case. Newest matches come first. An empty query has
 * no matches.
 */
export async function searchChats(
  deps: ReadDeps,
  session: SessionHandle,
  { q, role, limit, ...options }: { q: string; role?: "user" | "assistant"; limit: number; signal: AbortSignal },
): Promise<FoundMessage[]> {
  const wanted = q.trim().toLowerCase()
  if (wanted === "") return []
  const transcripts = await readTranscripts(deps, session, options)
  return transcripts
    .flatMap(({ chatId, messages }) => messages.map((message) => ({ ...message, session_id: chatId })))
    .filter(
      (message) => (role === undefined || message.role === role) && message.content.toLowerCase().includes(wanted),
    )
    .sort((a, b) => b.seq - a.seq)
    .slice(0, limit)
    .map(({ seq, ts, role, content, request_id, session_id }) => ({ seq, ts, role, content, request_id, session_id }))
}

/** Returns the context of the conversation's newest turn, as it was shown to the model. Null before the first turn. */
export async function readContext(
  deps: ReadDeps,
  session: SessionHandle,
  options: { signal: AbortSignal },
): Promise<ChatContext | null> {
  for await (const event of readHistoryBack(deps, session, "chat", options)) {
    if (event.type !== "chat_context_prepared" || event.chat_id !== session.state.chat.chatId) continue
    return (await hydrateEvent(deps.blobs, event, options)).figures as ChatContext
  }
  return null
}

/**
 * Splits the given files into two lists: files that can be selected (in order, without duplicates) and files that are
 * refused.
 */
export async function checkSelection(
  deps: { blobs: Blobs },
  session: Pick<SessionHandle, "sid" | "state">,
  files: readonly string[],
  options: { signal: AbortSignal },
): Promise<Selection> {
  const workspace = await openWorkspace(deps, session, { at: shownFiles(session.state), ...options })
  const selection: Selection = { selected_files: [], refused: [] }
  for (const path of new Set(files)) {
    const checked = workspacePathIfValid(path)
    const node = checked && workspace.stat(checked)
    if (!node) selection.refused.push({ path, reason: "missing" })
    else if (node.type === "directory") selection.refused.push({ path, reason: "folder" })
    else if (node.binary) selection.refused.push({ path, reason: "binary" })
    else selection.selected_files.push(path)
  }
  return selection
}
