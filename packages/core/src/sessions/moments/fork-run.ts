import { AppError } from "../../errors.ts"
import { restoreChanges } from "../../files/workspaces/compare.ts"
import { sessionKey } from "../../ids.ts"
import { artifactBlobs } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import { chatEventsOf, foldChat } from "../../work/chat/history/transcript.ts"
import { selectFiles } from "../../work/chat/rules.ts"
import type { ChatMessage, ForkInput } from "../../work/chat/schema.ts"
import type { RunWork } from "../../work/runs/run-context.ts"
import { readEntry } from "../session-index.ts"
import { copyVersion, type Forking } from "./forking.ts"
import { requireMoment, versionAt } from "./moment.ts"
import { forkRepository } from "./repository-fork.ts"
import { requireUnfailed, type WriteDeps } from "./repository-write.ts"

/**
 * Returns the function for runs that copy the conversation and files of another session, as of a given event, to their
 * own session. If another executor takes over, it copies what is still missing. The run fails if the other session is
 * gone.
 */
export function createFork(deps: WriteDeps): RunWork<ForkInput> {
  return async (context) => {
    await context.catchUp()
    requireUnfailed(context)
    const from = await openSource(deps, context)
    const forking = { context, from, done: await Array.fromAsync(context.history()) }
    await copyWorkspace(deps, forking)
    await copyMessages(deps, forking)
    await forkRepository(deps, forking)
    const { selected } = from.state.chat
    if (selected.length > 0) await context.decide(selectFiles(selected))
  }
}

async function openSource(deps: WriteDeps, { sid, signal, input }: Forking["context"]): Promise<SessionHandle> {
  const { session_id: sessionId, to_seq: toSeq } = input.from
  const own = await readEntry(deps.records, sid, { signal })
  const source = await openSessionLog(deps, sessionKey(own?.owner ?? "", sessionId), { signal })
  const { state, history } = source
  if (!isLive(state)) throw new AppError("session_not_found", "The session that this was forked from was deleted.")
  requireMoment({ state }, toSeq)
  return { sid: source.sid, sessionId, state, history, touchedAt: 0 }
}

async function copyWorkspace(deps: WriteDeps, forking: Forking): Promise<void> {
  const { context, from, done } = forking
  if (done.some(({ type }) => type === "workspace_committed")) return
  const version = await versionAt(deps, from, context.input.from.to_seq, context)
  const changes = restoreChanges({ files: [], folders: [] }, await copyVersion(deps, forking, version.manifest))
  if (changes.length > 0) await context.commit(changes, "fork")
}

/** Maximum number of messages per append. It is low, because each message may be long. */
const COPIED_AT_ONCE = 40

async function copyMessages(deps: WriteDeps, forking: Forking): Promise<void> {
  const { context, from, done } = forking
  const { chat_id } = context.input
  const copied = new Set(done.flatMap((event) => (event.type === "chat_message_copied" ? [event.from.seq] : [])))
  const messages = (await messagesAt(deps, forking)).filter(({ seq }) => !copied.has(seq))
  for (let at = 0; at < messages.length; at += COPIED_AT_ONCE) {
    const some = messages.slice(at, at + COPIED_AT_ONCE)
    for (const { images } of some) await copyImages(deps, forking, images)
    const events = some.map((message) => ({
      ...{ type: "chat_message_copied" as const, chat_id, message },
      from: { session_id: from.sessionId, seq: message.seq },
    }))
    await context.write(events)
  }
}

async function messagesAt(deps: WriteDeps, { context, from }: Forking): Promise<ChatMessage[]> {
  const { to_seq: toSeq } = context.input.from
  const events = (await Array.fromAsync(chatEventsOf(deps, from, context))).filter(({ seq }) => seq <= toSeq)
  const chatId = events.at(-1)?.chat_id
  if (chatId === undefined) return []
  const ofChat = events.filter((event) => event.chat_id === chatId)
  return foldChat(chatId, ofChat).messages
}

async function copyImages(
  { blobs }: { blobs: Blobs },
  { context, from }: Forking,
  images: ChatMessage["images"],
): Promise<void> {
  const target = artifactBlobs(context.sid, context.state().session.incarnation)
  for (const { path } of images) {
    const name = path.slice("artifacts/".length)
    const bytes = await blobs.get(artifactBlobs(from.sid, from.state.session.incarnation) + name, context)
    if (bytes) await blobs.put(target + name, await readAll(bytes), context)
  }
}
