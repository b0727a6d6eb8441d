import type { CommandDeps } from "../../agents/runner/worktree-commands.ts"
import { AppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import { restoreChanges } from "../../files/workspaces/compare.ts"
import type { StoredChange, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { artifactBlobs } from "../../kernel/keys.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { mapConcurrent } from "../../map-concurrent.ts"
import { readAll } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { newChatId } from "../../work/chat/ids.ts"
import { openChat, rewindChat, selectFiles } from "../../work/chat/rules.ts"
import type { ChatMessage } from "../../work/chat/schema.ts"
import { chatEventsOf, foldChat } from "../../work/chat/transcript.ts"
import { readEvents } from "../events/event-page.ts"
import type { Sessions } from "../sessions.ts"
import { rewindRepository } from "./repository-rewind.ts"

interface Deps extends CommandDeps {
  records: Records
  sessions: Sessions
  newSessionId: () => string
}

interface Moment {
  /** Everything after this event is undone, or left out of the fork. */
  toSeq: number
  signal: AbortSignal
}

/** Takes the conversation that is open back to a moment, and the files with it if that is asked for: both or neither. */
export async function rewind(
  deps: Deps,
  { session, handle }: { session: SessionLog; handle: SessionHandle },
  { toSeq, files, ...options }: Moment & { files: boolean },
): Promise<void> {
  const { chatId } = session.state.chat
  if (chatId === null) throw new AppError("not_found", "There is no conversation to be rewound.")
  requireMoment(handle, toSeq)
  if (files && session.state.session.repository !== null) {
    return rewindRepository(deps, session, { chatId, toSeq }, options)
  }
  const rule = inLiveSession(rewindChat(chatId, toSeq, files))
  const changes = files ? await changesTo(deps, handle, await versionAt(deps, handle, toSeq, options), options) : []
  if (changes.length === 0) {
    await session.decide(rule, options)
    return
  }
  await commitChanges(deps, session, changes, {
    base: session.state.workspace,
    guard: (events) => (state) => {
      const verdict = rule(state)
      return verdict instanceof AppError ? verdict : [...verdict, ...events]
    },
    ...options,
  })
}

/** Opens a new session with the conversation and the files of a moment. */
export async function fork(
  deps: Deps,
  { owner, handle }: { owner: string; handle: SessionHandle },
  { toSeq, ...options }: Moment,
): Promise<{ sessionId: string }> {
  requireMoment(handle, toSeq)
  const version = await versionAt(deps, handle, toSeq, options)
  const messages = await messagesAt(deps, handle, toSeq, options)
  const { session, sessionId } = await deps.sessions.touch(owner, deps.newSessionId(), { active: true, ...options })
  await copyFiles(deps, handle, session, version, options)
  await copyMessages(deps, handle, session, messages, options)
  const { chat } = handle.state
  if (chat.selected.length > 0) await session.decide(inLiveSession(selectFiles(chat.selected)), options)
  return { sessionId }
}

function requireMoment({ state }: SessionHandle, toSeq: number): void {
  const first = state.session.since?.seq ?? 1
  if (toSeq >= first && toSeq <= state.head) return
  throw new AppError("validation_error", "This session has no such moment.", { to_seq: toSeq, latest_seq: state.head })
}

/** The version of the files after an event. */
async function versionAt(
  deps: Deps,
  handle: SessionHandle,
  toSeq: number,
  options: { signal: AbortSignal },
): Promise<WorkspaceVersion> {
  const types = new Set(["workspace_committed"])
  const first = handle.state.session.since?.seq ?? 1
  for (let before = toSeq + 1; before > first; ) {
    const page = await readEvents(deps, handle, { before }, { limit: 1, types, ...options })
    const [event] = page.events
    if (event?.type === "workspace_committed") {
      const { version, manifest } = event as unknown as WorkspaceVersion
      return { version, manifest }
    }
    before = page.from_seq
  }
  return { version: 0, manifest: null }
}

async function changesTo(
  { blobs }: Deps,
  { sid, state }: SessionHandle,
  version: WorkspaceVersion,
  options: { signal: AbortSignal },
): Promise<StoredChange[]> {
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  const [now, then] = await Promise.all([
    store.readManifest(state.workspace.manifest, options),
    store.readManifest(version.manifest, options),
  ])
  return restoreChanges(now, then)
}

async function messagesAt(
  deps: Deps,
  handle: SessionHandle,
  toSeq: number,
  options: { signal: AbortSignal },
): Promise<ChatMessage[]> {
  const events = (await Array.fromAsync(chatEventsOf(deps, handle, options))).filter(({ seq }) => seq <= toSeq)
  const chatId = events.at(-1)?.chat_id
  return chatId === undefined
    ? []
    : foldChat(
        chatId,
        events.filter((event) => event.chat_id === chatId),
      ).messages
}

/** Most of the time is latency, and what is copied is held in memory. */
const COPIES = { atOnce: 32, budget: 8 * 1024 * 1024 }

async function copyFiles(
  { blobs }: Deps,
  from: SessionHandle,
  to: SessionLog,
  version: WorkspaceVersion,
  options: { signal: AbortSignal },
): Promise<void> {
  const source = createWorkspaceStore(blobs, { sid: from.sid, incarnation: from.state.session.incarnation })
  const target = createWorkspaceStore(blobs, { sid: to.sid, incarnation: to.state.session.incarnation })
  const manifest = await source.readManifest(version.manifest, options)
  const sizes = new Map(manifest.files.map(({ sha256, size }) => [sha256, size]))
  const copy = async ([sha256]: [string, number]) => {
    await target.write(sha256, await readAll(await source.read(sha256, options)), options)
  }
  await Array.fromAsync(mapConcurrent(sizes, copy, { ...COPIES, weigh: ([, size]) => size }))
  const changes = restoreChanges({ files: [], folders: [] }, manifest)
  if (changes.length > 0) await commitChanges({ blobs }, to, changes, options)
}

/** So many messages are appended at once: each may be long. */
const COPIED_AT_ONCE = 40

async function copyMessages(
  deps: Deps,
  from: SessionHandle,
  to: SessionLog,
  messages: ChatMessage[],
  options: { signal: AbortSignal },
): Promise<void> {
  const chatId = newChatId(deps.clock.now())
  for (let at = 0; at < messages.length; at += COPIED_AT_ONCE) {
    const some = messages.slice(at, at + COPIED_AT_ONCE)
    for (const { images } of some) await copyImages(deps, from, to, images, options)
    const events = some.map((message) => ({
      ...{ type: "chat_message_copied" as const, chat_id: chatId, message },
      from: { session_id: from.sessionId, seq: message.seq },
    }))
    await to.decide(
      inLiveSession(() => events),
      options,
    )
  }
  if (messages.length === 0) await to.decide(inLiveSession(openChat(chatId)), options)
}

async function copyImages(
  { blobs }: Deps,
  from: SessionHandle,
  to: SessionLog,
  images: ChatMessage["images"],
  options: { signal: AbortSignal },
): Promise<void> {
  for (const { path } of images) {
    const name = path.slice("artifacts/".length)
    const bytes = await blobs.get(artifactBlobs(from.sid, from.state.session.incarnation) + name, options)
    const key = artifactBlobs(to.sid, to.state.session.incarnation) + name
    if (bytes) await blobs.put(key, await readAll(bytes), options)
  }
}
