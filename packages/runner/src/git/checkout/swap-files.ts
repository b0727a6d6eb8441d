import { copyFile, link, lstat, mkdir, readdir, readlink, rename, rmdir, symlink, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import * as z from "zod"
import { type GitPath, inFolder } from "../plumbing/git-path.ts"

/** A file as it was put: whoever writes to it, or puts another in its place, makes it differ. */
const Stamp = z.object({ ino: z.string(), size: z.string(), mtime: z.string() })
type Stamp = z.infer<typeof Stamp>

/** One path of a swap. `before` and `after`: whether a file is there, or, for a submodule, just its folder. */
export const SwapEntry = z.object({
  path: z.string(),
  before: z.enum(["file", "folder", "nothing"]),
  after: z.enum(["file", "folder", "nothing"]),
  put: Stamp.nullable(),
})
export type SwapEntry = z.infer<typeof SwapEntry>

export interface SwapPlaces {
  checkout: string
  /** Files to come, under their paths. */
  fresh: string
  /** Files that were there, under their paths. */
  kept: string
}

/** Remembers what is there and what will be, so that each step after this can be taken back. Nothing is changed yet. */
export async function prepareSwap(places: SwapPlaces, entries: Omit<SwapEntry, "put">[]): Promise<SwapEntry[]> {
  const prepared: SwapEntry[] = []
  for (const entry of entries) {
    // A file that git was told to leave out may be missing.
    const there = entry.before === "file" && (await stampOf(inFolder(places.checkout, entry.path)))
    if (there) await keep(places, entry.path)
    const before = entry.before === "file" && !there ? "nothing" : entry.before
    const put = entry.after === "file" ? await stampOf(inFolder(places.fresh, entry.path)) : null
    prepared.push({ ...entry, before, put: put ?? null })
  }
  return prepared
}

/** Puts every file in its place: at any moment each path has the old file or the new one, whole. */
export async function swapFiles({ checkout, fresh }: SwapPlaces, entries: SwapEntry[]): Promise<void> {
  for (const { path, before, after } of entries) {
    if (after !== "file" && before === "file") await unlink(inFolder(checkout, path))
    if (after === "nothing") await removeEmptyFolders(checkout, path, before === "folder")
  }
  for (const { path, after } of entries) {
    if (after === "file") await putFile(inFolder(fresh, path), inFolder(checkout, path))
    if (after === "folder") await mkdir(inFolder(checkout, path), { recursive: true })
  }
}

/** Takes back what of a swap was done, and what nobody has changed since. */
export async function unswapFiles({ checkout, kept }: SwapPlaces, entries: SwapEntry[]): Promise<void> {
  for (const { path, before, put } of entries) {
    if (before === "file" || !put || !same(await stampOf(inFolder(checkout, path)), put)) continue
    await unlink(inFolder(checkout, path))
    await removeEmptyFolders(checkout, path, false)
  }
  for (const { path, before, put } of entries) {
    if (before === "folder") await mkdir(inFolder(checkout, path), { recursive: true })
    if (before !== "file") continue
    const stamp = await stampOf(inFolder(checkout, path))
    const isAgentGroup = put ? same(stamp, put) : false
    if (stamp === undefined || isAgentGroup) await putBack(inFolder(kept, path), inFolder(checkout, path))
  }
}

async function putBack(kept: Buffer, place: Buffer): Promise<void> {
  if ((await stampOf(kept)) === undefined) return
  await putFile(kept, place)
}

async function putFile(from: Buffer, to: Buffer): Promise<void> {
  await mkdir(parentOf(to), { recursive: true })
  await removeEmptyTree(to)
  await rename(from, to)
}

/** Where a folder leaves for a file, only folders that hold nothing can be left of it. */
async function removeEmptyTree(place: Buffer): Promise<void> {
  const found = await lstat(place).catch(missing)
  // Node's own `rm` would remove what is in them too.
  if (found?.isDirectory()) await removeFolders(place)
}

async function removeFolders(folder: Buffer): Promise<void> {
  for (const name of await readdir(folder, { encoding: "buffer" })) {
    await removeFolders(Buffer.concat([folder, Buffer.from("/"), name]))
  }
  await rmdir(folder)
}

/** As git does: a folder goes with its last file. */
async function removeEmptyFolders(checkout: string, path: GitPath, itself: boolean): Promise<void> {
  const segments = path.split("/")
  for (let depth = segments.length - (itself ? 0 : 1); depth > 0; depth--) {
    try {
      await rmdir(inFolder(checkout, segments.slice(0, depth).join("/")))
    } catch (error) {
      if (["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return
      throw error
    }
  }
}

/** A second name for the file is enough: it is never written to, only replaced. */
async function keep({ checkout, kept }: SwapPlaces, path: GitPath): Promise<void> {
  const from = inFolder(checkout, path)
  const to = inFolder(kept, path)
  await mkdir(parentOf(to), { recursive: true })
  try {
    await link(from, to)
  } catch (error) {
    if (!["EPERM", "EXDEV", "ENOTSUP", "EMLINK", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error
    if ((await lstat(from)).isSymbolicLink()) await symlink(await readlink(from, { encoding: "buffer" }), to)
    else await copyFile(from, to)
  }
}

async function stampOf(place: Buffer): Promise<Stamp | undefined> {
  const found = await lstat(place, { bigint: true }).catch(missing)
  return found && { ino: String(found.ino), size: String(found.size), mtime: String(found.mtimeNs) }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error
}

function same(a: Stamp | undefined, b: Stamp): boolean {
  return a?.ino === b.ino && a.size === b.size && a.mtime === b.mtime
}

function parentOf(place: Buffer): Buffer {
  return Buffer.from(dirname(place.toString("latin1")), "latin1")
}
