import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import { restoreChanges } from "../../files/workspaces/compare.ts"
import type { Manifest } from "../../files/workspaces/manifest.ts"
import type { RepositoryCredentials, SessionLife } from "../../files/worktrees/repository-credentials.ts"
import { artifactBlobs } from "../../kernel/keys.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { mapConcurrent } from "../../map-concurrent.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import { chatEventsOf, foldChat } from "../../work/chat/history/transcript.ts"
import { newChatId } from "../../work/chat/ids.ts"
import { openChat, selectFiles } from "../../work/chat/rules.ts"
import type { ChatMessage } from "../../work/chat/schema.ts"
import type { Sessions } from "../sessions.ts"
import { requireMoment, versionAt } from "./chat-rewind.ts"
import { forkRepository } from "./repository-fork.ts"
import type { RewindDeps } from "./repository-rewind.ts"

interface Deps extends RewindDeps {
  sessions: Pick<Sessions, "touch">
  repositoryCredentials: Pick<RepositoryCredentials, "copy">
  newSessionId: () => string
}

interface Moment {
  /** Everything after this event is left out. */
  toSeq: number
  signal: AbortSignal
}

/** Opens a new session with the conversation and the files of a moment, those of a repository included. */
export async function fork(
  deps: Deps,
  { owner, handle }: { owner: string; handle: SessionHandle },
  { toSeq, ...options }: Moment,
): Promise<{ sessionId: string }> {
  requireMoment(handle, toSeq)
  const version = await versionAt(deps, handle, toSeq, options)
  const messages = await messagesAt(deps, handle, toSeq, options)
  const { repository } = handle.state.session
  const about = repository === null ? {} : { repository, remote: { url: repository } }
  const touching = { ...about, active: true, ...options }
  const { session, sessionId } = await deps.sessions.touch(owner, deps.newSessionId(), touching)
  const manifest = await copyContents(deps, handle, session, version.manifest, options)
  const changes = restoreChanges({ files: [], folders: [] }, manifest)
  if (changes.length > 0) await commitChanges(deps, session, changes, options)
  const chatId = newChatId(deps.clock.now())
  await copyMessages(deps, handle, session, { chatId, messages }, options)
  if (repository !== null) {
    await deps.repositoryCredentials.copy(lifeOf(handle), lifeOf(session), repository, options)
    const moment = { chatId, toSeq, copyContents: (id: string) => copyContents(deps, handle, session, id, options) }
    await forkRepository(deps, handle, session, moment, options)
  }
  const { chat } = handle.state
  if (chat.selected.length > 0) await session.decide(inLiveSession(selectFiles(chat.selected)), options)
  return { sessionId }
}

function lifeOf({ sid, state }: Pick<SessionHandle, "sid" | "state">): SessionLife {
  return { sid, incarnation: state.session.incarnation }
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

/** Copies what the files of a version contain. Resolves to its manifest. */
async function copyContents(
  { blobs }: { blobs: Blobs },
  from: SessionHandle,
  to: SessionLog,
  version: string | null,
  options: { signal: AbortSignal },
): Promise<Manifest> {
  const source = createWorkspaceStore(blobs, lifeOf(from))
  const target = createWorkspaceStore(blobs, lifeOf(to))
  const manifest = await source.readManifest(version, options)
  const sizes = new Map(manifest.files.map(({ sha256, size }) => [sha256, size]))
  const copy = async ([sha256]: [string, number]) => {
    await target.write(sha256, await readAll(await source.read(sha256, options)), options)
  }
  await Array.fromAsync(mapConcurrent(sizes, copy, { ...COPIES, weigh: ([, size]) => size }))
  return manifest
}

/** So many messages are appended at once: each may be long. */
const COPIED_AT_ONCE = 40

async function copyMessages(
  deps: Deps,
  from: SessionHandle,
  to: SessionLog,
  { chatId, messages }: { chatId: string; messages: ChatMessage[] },
  options: { signal: AbortSignal },
): Promise<void> {
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
