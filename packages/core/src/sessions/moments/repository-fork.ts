import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { SavedProject } from "../../files/worktrees/checkpoint-schema.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import { readHistory } from "../../kernel/history.ts"
import { artifactBlobs } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { readField } from "../../log/payload.ts"
import { readEvents } from "../events/event-page.ts"
import { copyVersion, type Forking, lifeOf } from "./forking.ts"
import { readingBefore, rewindRepository } from "./repository-rewind.ts"
import type { WriteDeps } from "./repository-write.ts"

const MESSAGE = "Begin with the files of the chat that this one was forked from"

/**
 * Gives a fork the work of the main worktree, including its commits, from the save closest to the given event. If the
 * files last read before the event differ from that save, restores them in a commit. The fork gets its own branch.
 */
export async function forkRepository(deps: WriteDeps, forking: Forking): Promise<void> {
  const { context, from, done } = forking
  if (from.state.session.repository === null || done.some(({ type }) => type === "chat_rewound")) return
  const earlier = done.find(({ type }) => type === "chat_files_read")
  if (!earlier && !done.some(({ type }) => type === "project_saved")) await copySave(deps, forking)
  const readAt = earlier?.seq ?? (await copyReading(deps, forking))
  if (readAt === undefined) return
  const { chat_id: chatId } = context.input
  await rewindRepository(deps, context, { chatId, toSeq: readAt, message: MESSAGE })
}

/**
 * Copies the files as they were last read before the given event. Returns the sequence number of the event that records
 * the copy. Undefined if the files were never read.
 */
async function copyReading(deps: WriteDeps, forking: Forking): Promise<number | undefined> {
  const { context, from } = forking
  const reading = await readingBefore(deps, from, context.input.from.to_seq, context)
  if (reading === undefined) return undefined
  const files = await copyVersion(deps, forking, reading)
  const store = createWorkspaceStore(deps.blobs, lifeOf({ sid: context.sid, state: context.state() }))
  const manifest = await store.writeManifest(files, context)
  const read = { type: "chat_files_read" as const, manifest, files: files.files.length, branch: null, commit: null }
  const [event] = await context.decide(() => [read])
  return event?.seq
}

/**
 * Copies the save for the given event. If part of that save is gone, copies the newest save. Does nothing if there is
 * no save.
 */
async function copySave(deps: WriteDeps, forking: Forking): Promise<void> {
  const { context, from } = forking
  const { repository } = from.state.session
  for (const end of [await nextQuestion(deps, forking), from.state.head + 1]) {
    const saved = await saveBefore(deps, from, end, context)
    if (saved === undefined || saved.tip === null) return
    const bundles = await context.awaitExternal(() => copyBundles(deps, forking, saved))
    if (bundles === undefined) continue
    const save = { bundles, tip: saved.tip, memories: [] }
    await context.write([{ type: "project_saved", repository, save, left_out: [], forked_from: from.sessionId }])
    return
  }
}

/**
 * Returns the sequence number of the event that started the next turn. If there is no next turn, returns the next free
 * number. Saves up to that event contain the previous turn's work.
 */
async function nextQuestion(deps: WriteDeps, { context, from }: Forking): Promise<number> {
  const { signal, input } = context
  for await (const event of readHistory(deps, from, "chat", { since: input.from.to_seq, signal })) {
    if (event.type === "chat_asked") return event.seq
  }
  return from.state.head + 1
}

/** Returns the main worktree's last save before an event. Undefined if there is no such save for this repository. */
async function saveBefore(
  deps: WriteDeps,
  from: SessionHandle,
  seq: number,
  { signal }: { signal: AbortSignal },
): Promise<SavedProject | undefined> {
  const first = from.state.session.since?.seq ?? 1
  for (let before = seq; before > first; ) {
    const page = await readEvents(deps, from, { before }, { limit: 1, types: SAVES, signal })
    const [event] = page.events
    before = page.from_seq
    if (event?.type !== "project_saved" || (event.worktree ?? MAIN_WORKTREE) !== MAIN_WORKTREE) continue
    if (event.repository !== from.state.session.repository) return undefined
    return readField(deps.blobs, event.save, SavedProject, { signal })
  }
  return undefined
}

const SAVES = new Set(["project_saved"])

/**
 * Copies a save's bundles. Returns undefined if a bundle is gone because the session has started a new series of
 * bundles.
 */
async function copyBundles(
  { blobs }: WriteDeps,
  { context, from }: Forking,
  { bundles }: SavedProject,
): Promise<SavedProject["bundles"] | undefined> {
  const own = artifactBlobs(from.sid, from.state.session.incarnation)
  const copies: SavedProject["bundles"] = []
  for (const { key, size_bytes } of bundles) {
    const source = await blobs.get(key, context)
    if (!source) return undefined
    const copy = artifactBlobs(context.sid, context.state().session.incarnation) + key.slice(own.length)
    await blobs.put(copy, source, context)
    copies.push({ key: copy, size_bytes })
  }
  return copies
}
