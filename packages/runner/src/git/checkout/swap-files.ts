import { dirname } from "node:path"
import * as z from "zod"
import type { Files } from "../../files/files.ts"
import { type GitPath, inFolder } from "../plumbing/git-path.ts"

/** Identifies a new file after it was put in the checkout. The stamp changes if the file is edited or replaced. */
const Stamp = z.object({ ino: z.string(), size: z.string(), mtime: z.string() })
type Stamp = z.infer<typeof Stamp>

/** A path in a swap, and the kind of object at this path before and after. Submodules count as folders. */
export const SwapEntry = z.object({
  path: z.string(),
  before: z.enum(["file", "folder", "nothing"]),
  after: z.enum(["file", "folder", "nothing"]),
  put: Stamp.nullable(),
})
export type SwapEntry = z.infer<typeof SwapEntry>

export interface SwapPlaces {
  files: Files
  checkout: string
  /** Folder that contains the new files at their relative paths. */
  fresh: string
  /** Folder that contains the old files at their relative paths. */
  kept: string
}

/** Saves the old files and records the new ones, so that the swap can be undone. Doesn't change the checkout. */
export async function prepareSwap(places: SwapPlaces, entries: Omit<SwapEntry, "put">[]): Promise<SwapEntry[]> {
  const prepared: SwapEntry[] = []
  for (const entry of entries) {
    // A file outside a sparse checkout may not exist.
    const there = entry.before === "file" && (await stampOf(places.files, inFolder(places.checkout, entry.path)))
    if (there) await keep(places, entry.path)
    const before = entry.before === "file" && !there ? "nothing" : entry.before
    const put = entry.after === "file" ? await stampOf(places.files, inFolder(places.fresh, entry.path)) : null
    prepared.push({ ...entry, before, put: put ?? null })
  }
  return prepared
}

/**
 * Puts all new files in place. At any time, each path contains either the complete old file or the complete new one.
 */
export async function swapFiles({ files, checkout, fresh }: SwapPlaces, entries: SwapEntry[]): Promise<void> {
  for (const { path, before, after } of entries) {
    if (after !== "file" && before === "file") await files.unlink(inFolder(checkout, path))
    if (after === "nothing") await removeEmptyFolders(files, checkout, path, before === "folder")
  }
  for (const { path, after } of entries) {
    if (after === "file") await putFile(files, inFolder(fresh, path), inFolder(checkout, path))
    if (after === "folder") await files.makeFolder(inFolder(checkout, path))
  }
}

/** Undoes a complete or partial swap. Leaves files as they are if they have changed since the swap. */
export async function unswapFiles({ files, checkout, kept }: SwapPlaces, entries: SwapEntry[]): Promise<void> {
  for (const { path, before, put } of entries) {
    if (before === "file" || !put || !same(await stampOf(files, inFolder(checkout, path)), put)) continue
    await files.unlink(inFolder(checkout, path))
    await removeEmptyFolders(files, checkout, path, false)
  }
  for (const { path, before, put } of entries) {
    if (before === "folder") await files.makeFolder(inFolder(checkout, path))
    if (before !== "file") continue
    const stamp = await stampOf(files, inFolder(checkout, path))
    const isOurs = put ? same(stamp, put) : false
    if (stamp === undefined || isOurs) await putBack(files, inFolder(kept, path), inFolder(checkout, path))
  }
}

async function putBack(files: Files, kept: Buffer, place: Buffer): Promise<void> {
  if ((await stampOf(files, kept)) === undefined) return
  await putFile(files, kept, place)
}

async function putFile(files: Files, from: Buffer, to: Buffer): Promise<void> {
  await files.makeFolder(parentOf(to))
  await removeEmptyTree(files, to)
  await files.rename(from, to)
}

/** Removes a folder that a file will replace. The folder may contain only empty folders. */
async function removeEmptyTree(files: Files, place: Buffer): Promise<void> {
  const found = await files.lstat(place)
  // Don't use `remove`, because it would also delete files in the folder.
  if (found?.kind === "folder") await removeFolders(files, place)
}

async function removeFolders(files: Files, folder: Buffer): Promise<void> {
  for (const { name } of await files.list(folder)) {
    await removeFolders(files, Buffer.concat([folder, Buffer.from("/"), name]))
  }
  await files.removeFolder(folder)
}

/** Removes folders that have lost their last file, as git does. */
async function removeEmptyFolders(files: Files, checkout: string, path: GitPath, itself: boolean): Promise<void> {
  const segments = path.split("/")
  for (let depth = segments.length - (itself ? 0 : 1); depth > 0; depth--) {
    try {
      await files.removeFolder(inFolder(checkout, segments.slice(0, depth).join("/")))
    } catch (error) {
      if (["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return
      throw error
    }
  }
}

/** Keeps the old file as a hard link. A link is enough, because the swap replaces files and never writes to them. */
async function keep({ files, checkout, kept }: SwapPlaces, path: GitPath): Promise<void> {
  const from = inFolder(checkout, path)
  const to = inFolder(kept, path)
  await files.makeFolder(parentOf(to))
  try {
    await files.link(from, to)
  } catch (error) {
    if (!["EPERM", "EXDEV", "ENOTSUP", "EMLINK", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error
    await files.copy(from, to)
  }
}

async function stampOf(files: Files, place: Buffer): Promise<Stamp | undefined> {
  const found = await files.lstat(place)
  return found && { ino: String(found.ino), size: String(found.size), mtime: String(found.mtimeNs) }
}

function same(a: Stamp | undefined, b: Stamp): boolean {
  return a?.ino === b.ino && a.size === b.size && a.mtime === b.mtime
}

function parentOf(place: Buffer): Buffer {
  return Buffer.from(dirname(place.toString("latin1")), "latin1")
}
