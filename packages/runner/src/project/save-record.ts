import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { AppError } from "@switchyard/core/errors"
import { SavedProject } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { logName } from "@switchyard/core/kernel/keys"
import type { Log } from "@switchyard/core/log/log"
import { readField } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../files/atomic-json.ts"
import { fetchBundles, restoreWorkSnapshot } from "../git/saves/restore-snapshot.ts"
import { hasCommit } from "../git/saves/work-snapshot.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import { writeSyncedVersion } from "./sync-files.ts"

/** A save of a session's work, and the repository that it belongs to. */
export interface SaveRecord extends SavedProject {
  seq: number
  repository: string | null
  /** True if the save belongs to the session that this session was forked from. */
  isForked: boolean
}

/** Reads the save from the event with this sequence number. */
export async function readSaveRecord(
  { log, blobs }: { log: Log; blobs: Blobs },
  sid: string,
  seq: number,
  options: { signal: AbortSignal },
): Promise<SaveRecord> {
  for await (const event of log.read(logName(sid), seq - 1, options)) {
    if (event.type !== "project_saved") break
    const { repository, forked_from } = event
    const save = await readField(blobs, event.save, SavedProject, options)
    return { ...save, seq, repository, isForked: forked_from !== undefined }
  }
  throw new Error("The saved project is missing.")
}

/**
 * The saves that a worktree on this disk already contains: the last one appended to the log, and possibly one whose
 * append may have failed.
 */
const Mark = z.object({ seq: z.int().nonnegative(), next: z.string().nullable(), digest: z.string().nullable() })
type Mark = z.infer<typeof Mark>

export async function readMark(notes: string): Promise<Mark | undefined> {
  const text = await readIfExists(markFile(notes))
  return text === undefined ? undefined : Mark.parse(JSON.parse(text))
}

export async function writeMark(notes: string, mark: Mark): Promise<void> {
  await writeAtomically(markFile(notes), mark)
}

const markFile = (notes: string) => `${notes}.saved.json`

/** Removes the notes about all worktrees of a repository that is no longer on this disk. */
export async function removeNotes(repositoryNotes: string): Promise<void> {
  const folder = dirname(repositoryNotes)
  const names = await readdir(folder).catch(() => [])
  const notes = names.filter((name) => name.startsWith(basename(repositoryNotes)))
  for (const name of notes) await rm(join(folder, name), { recursive: true, force: true })
}

/** Returns the digest that identifies a save in a mark. */
export function digestOf(save: SavedProject): string {
  return createHash("sha256").update(JSON.stringify(save)).digest("hex")
}

export interface SaveQuery {
  sid: string
  savedSeq: number | null
  repository: string | null
  notes: string
}

/**
 * Fetches the last save of the work into this repository. Returns undefined if there is none for this repository.
 * Throws `worktree_damaged` if part of the save is missing.
 */
export async function fetchSave(
  deps: { log: Log; blobs: Blobs },
  worktree: Worktree,
  { sid, savedSeq, repository, notes }: SaveQuery,
  options: { signal: AbortSignal },
): Promise<(SaveRecord & { tip: string }) | undefined> {
  if (savedSeq === null) return undefined
  const saved = await readSaveRecord(deps, sid, savedSeq, options)
  const { tip } = saved
  if (tip === null || saved.repository !== repository) return undefined
  if (!(await hasCommit(worktree, tip, options))) {
    await fetchBundles(worktree, fetched(deps.blobs, saved, notes, options), options)
  }
  return { ...saved, tip }
}

/** Restores saved work that isn't on this disk. Returns the nested repositories that couldn't be restored. */
export async function restoreSave(
  deps: { log: Log; blobs: Blobs },
  worktree: Worktree,
  about: SaveQuery & { own: boolean },
  options: { signal: AbortSignal },
): Promise<string[]> {
  const { sid, own, notes } = about
  const savedSeq = about.savedSeq ?? 0
  const mark = await readMark(notes)
  if (mark && mark.seq >= savedSeq) return []
  if (savedSeq === 0) {
    await writeMark(notes, { seq: 0, next: null, digest: null })
    return []
  }
  const saved = await readSaveRecord(deps, sid, savedSeq, options)
  const { seq, repository, isForked, ...save } = saved
  const isHere = mark?.next === digestOf(save)
  let missing: string[] = []
  if (!isHere && repository === about.repository && save.tip !== null) {
    const bundles = fetched(deps.blobs, save, notes, options)
    missing = await restoreWorkSnapshot(worktree, { bundles, tip: save.tip, own, isForked }, options)
    if (save.level !== undefined) await writeSyncedVersion(notes, save.level)
  }
  await writeMark(notes, { seq, next: null, digest: null })
  return missing
}

async function* fetched(
  blobs: Blobs,
  { bundles }: SavedProject,
  notes: string,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<string> {
  const file = `${notes}.bundle`
  try {
    for (const { key } of bundles) {
      const source = await blobs.get(key, { signal })
      if (!source) throw new AppError("worktree_damaged", "Part of the saved work is missing.", { key })
      await pipeline(source, createWriteStream(file), { signal })
      yield file
    }
  } finally {
    await rm(file, { force: true })
  }
}
