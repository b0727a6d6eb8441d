import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { rm } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { AppError } from "@switchyard/core/errors"
import { SavedProject } from "@switchyard/core/files/worktrees/checkpoint"
import { logName } from "@switchyard/core/kernel/keys"
import type { Log } from "@switchyard/core/log/log"
import { readField } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import * as z from "zod"
import { readIfThere, writeWhole } from "../files/atomic-json.ts"
import { fetchBundles, hasCommit, restoreKeepsake } from "../git/saves/work-snapshot.ts"
import type { Place } from "../git/worktrees/worktree-record.ts"
import { noteLevel } from "./sync-files.ts"

/** What was saved of a session, and of which repository. */
export interface Saved extends SavedProject {
  seq: number
  repository: string | null
}

/** What the event at this place says was saved. */
export async function readSaved(
  { log, blobs }: { log: Log; blobs: Blobs },
  sid: string,
  seq: number,
  options: { signal: AbortSignal },
): Promise<Saved> {
  for await (const event of log.read(logName(sid), seq - 1, options)) {
    if (event.type !== "project_saved") break
    return { ...(await readField(blobs, event.save, SavedProject, options)), seq, repository: event.repository }
  }
  throw new Error("What was saved of the project is gone.")
}

/**
 * Of a worktree: how new the save is that it goes on from, and what was about to be the next one. What is on this disk
 * is at least as new as that.
 */
const Mark = z.object({ seq: z.int().nonnegative(), next: z.string().nullable(), digest: z.string().nullable() })
type Mark = z.infer<typeof Mark>

export async function readMark(notes: string): Promise<Mark | undefined> {
  const text = await readIfThere(markFile(notes))
  return text === undefined ? undefined : Mark.parse(JSON.parse(text))
}

export async function writeMark(notes: string, mark: Mark): Promise<void> {
  await writeWhole(markFile(notes), mark)
}

const markFile = (notes: string) => `${notes}.saved.json`

/** Names a save in a mark. */
export function nameOf(save: SavedProject): string {
  return createHash("sha256").update(JSON.stringify(save)).digest("hex")
}

export interface SavedAbout {
  sid: string
  savedSeq: number | null
  repository: string | null
  notes: string
}

/**
 * The last save of this repository's work, with its objects in the repository; undefined where there is none. Throws
 * `worktree_damaged` where a part of it is gone.
 */
export async function fetchSaved(
  deps: { log: Log; blobs: Blobs },
  place: Place,
  { sid, savedSeq, repository, notes }: SavedAbout,
  options: { signal: AbortSignal },
): Promise<(Saved & { tip: string }) | undefined> {
  if (savedSeq === null) return undefined
  const saved = await readSaved(deps, sid, savedSeq, options)
  const { tip } = saved
  if (tip === null || saved.repository !== repository) return undefined
  if (!(await hasCommit(place, tip, options))) {
    await fetchBundles(place, fetched(deps.blobs, saved, notes, options), options)
  }
  return { ...saved, tip }
}

/** Brings the work back that is saved and not on this disk; `isNew` says that nothing of it can be. */
export async function restoreSaved(
  deps: { log: Log; blobs: Blobs },
  place: Place,
  about: SavedAbout & { own: boolean; isNew: boolean },
  options: { signal: AbortSignal },
): Promise<void> {
  const { sid, own, notes, isNew } = about
  const savedSeq = about.savedSeq ?? 0
  const mark = isNew ? undefined : await readMark(notes)
  if (mark && mark.seq >= savedSeq) return
  if (savedSeq === 0) return writeMark(notes, { seq: 0, next: null, digest: null })
  const saved = await readSaved(deps, sid, savedSeq, options)
  const { seq, repository, ...save } = saved
  const isHere = mark?.next === nameOf(save)
  if (!isHere && repository === about.repository && save.tip !== null) {
    const bundles = fetched(deps.blobs, save, notes, options)
    await restoreKeepsake(place, { bundles, tip: save.tip, own }, options)
    if (save.level !== undefined) await noteLevel(notes, save.level)
  }
  await writeMark(notes, { seq, next: null, digest: null })
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
      if (!source) throw new AppError("worktree_damaged", "A part of the saved work is gone.", { key })
      await pipeline(source, createWriteStream(file), { signal })
      yield file
    }
  } finally {
    await rm(file, { force: true })
  }
}
