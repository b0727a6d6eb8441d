import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import type { Manifest } from "../../files/workspaces/manifest.ts"
import { SavedProject } from "../../files/worktrees/checkpoint-schema.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import { readHistory } from "../../kernel/history.ts"
import { artifactBlobs } from "../../kernel/keys.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { readField } from "../../log/payload.ts"
import { readEvents } from "../events/event-page.ts"
import { type RewindDeps, readingBefore, rewindRepository } from "./repository-rewind.ts"

interface Options {
  signal: AbortSignal
}

interface Moment {
  /** The conversation in the fork. */
  chatId: string
  toSeq: number
  /** Copies what the files of a manifest contain. */
  copyContents: (manifest: string) => Promise<Manifest>
}

const MESSAGE = "Begin with the files of the chat that this one was forked from"

/**
 * Gives a fork the work in the main worktree as it was saved nearest to a moment, its commits included, and the files as
 * they were last read before it, by a commit where they differ. The branch is the fork's own.
 */
export async function forkRepository(
  deps: RewindDeps,
  from: SessionHandle,
  to: SessionLog,
  { chatId, toSeq, copyContents }: Moment,
  options: Options,
): Promise<void> {
  await copySave(deps, from, to, toSeq, options)
  const reading = await readingBefore(deps, from, toSeq, options)
  if (reading === undefined) return
  const files = await copyContents(reading)
  const store = createWorkspaceStore(deps.blobs, { sid: to.sid, incarnation: to.state.session.incarnation })
  const manifest = await store.writeManifest(files, options)
  const read = { type: "chat_files_read" as const, manifest, files: files.files.length, branch: null, commit: null }
  await to.decide(
    inLiveSession(() => [read]),
    options,
  )
  await rewindRepository(deps, to, { chatId, toSeq: to.state.head, message: MESSAGE }, options)
}

/** Copies the save of the moment; the newest where a part of that is gone; nothing where there is none. */
async function copySave(
  deps: RewindDeps,
  from: SessionHandle,
  to: SessionLog,
  toSeq: number,
  options: Options,
): Promise<void> {
  const { repository } = from.state.session
  for (const end of [await nextQuestion(deps, from, toSeq, options), from.state.head + 1]) {
    const saved = await saveBefore(deps, from, end, options)
    if (saved === undefined || saved.tip === null) return
    const bundles = await copyBundles(deps, from, to, saved, options)
    if (bundles === undefined) continue
    const save = { bundles, tip: saved.tip, memories: [] }
    const event = { type: "project_saved" as const, repository, save, left_out: [], forked_from: from.sessionId }
    await to.decide(
      inLiveSession(() => [event]),
      options,
    )
    return
  }
}

/** The event by which the next turn began. What was saved until then is the work of the turn before. */
async function nextQuestion(deps: RewindDeps, from: SessionHandle, toSeq: number, options: Options): Promise<number> {
  for await (const event of readHistory(deps, from, "chat", { since: toSeq, ...options })) {
    if (event.type === "chat_asked") return event.seq
  }
  return from.state.head + 1
}

/** The last save of the main worktree before an event; undefined where there is none of this repository. */
async function saveBefore(
  deps: RewindDeps,
  from: SessionHandle,
  seq: number,
  options: Options,
): Promise<SavedProject | undefined> {
  const first = from.state.session.since?.seq ?? 1
  for (let before = seq; before > first; ) {
    const page = await readEvents(deps, from, { before }, { limit: 1, types: SAVES, ...options })
    const [event] = page.events
    before = page.from_seq
    if (event?.type !== "project_saved" || (event.worktree ?? MAIN_WORKTREE) !== MAIN_WORKTREE) continue
    if (event.repository !== from.state.session.repository) return undefined
    return readField(deps.blobs, event.save, SavedProject, options)
  }
  return undefined
}

const SAVES = new Set(["project_saved"])

/** Undefined where one of them is gone: the session has begun a new series of them since. */
async function copyBundles(
  { blobs }: RewindDeps,
  from: SessionHandle,
  to: SessionLog,
  { bundles }: SavedProject,
  options: Options,
): Promise<SavedProject["bundles"] | undefined> {
  const own = artifactBlobs(from.sid, from.state.session.incarnation)
  const copies: SavedProject["bundles"] = []
  for (const { key, size_bytes } of bundles) {
    const source = await blobs.get(key, options)
    if (!source) return undefined
    const copy = artifactBlobs(to.sid, to.state.session.incarnation) + key.slice(own.length)
    await blobs.put(copy, source, options)
    copies.push({ key: copy, size_bytes })
  }
  return copies
}
