import { createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readdir, rename, rm, rmdir } from "node:fs/promises"
import { basename, dirname, join, resolve, sep } from "node:path"
import { pipeline } from "node:stream/promises"
import {
  isDirectoryEntry,
  modeOf,
  readContent,
  readEntries,
  type ZipLimits,
} from "@switchyard/core/files/archives/zip-entries"
import { makeFolder } from "@switchyard/core/storage/make-folder"
import { type Entry, openPromise, type ZipFile } from "yauzl"
import { ArchiveRefused, UsageError } from "../errors/errors.ts"
import { hasCode, moveInto, statIfThere } from "./move-into.ts"

const LIMITS: ZipLimits = {
  entries: 100_000,
  sizeBytes: 4 * 1024 ** 3,
  refusal: (why) => new ArchiveRefused(why),
}

/**
 * Throws `UsageError` unless the directory is writable and is new or empty. With `merge`, the directory may contain
 * files. Also throws for git folders, because files in them can make git run programs.
 */
export async function checkTarget(target: string, { merge }: { merge: boolean }): Promise<void> {
  const names = await namesIn(target)
  const isGitFolder = resolve(target)
    .split(sep)
    .some((name) => name.toLowerCase() === ".git")
  if (isGitFolder || isRepository(names ?? [])) throw new UsageError(`${target} is one of git's own folders.`)
  if (names?.length && !merge) throw new UsageError(`${target} isn't empty. Use --force to merge into it.`)
  await checkWritable(target)
}

/** Names that make git treat a folder as a bare repository. */
const REPOSITORY = ["HEAD", "objects", "refs"]

function isRepository(names: string[]): boolean {
  return REPOSITORY.every((own) => names.some((name) => name.toLowerCase() === own.toLowerCase()))
}

/**
 * Checks that a directory is writable before a run costs money. Creates a temporary folder to find out, because
 * permissions don't show that a disk is read-only or that a file system is unusual.
 */
async function checkWritable(target: string): Promise<void> {
  let place = resolve(target)
  while (!(await statIfThere(place)) && place !== dirname(place)) place = dirname(place)
  try {
    await rmdir(await mkdtemp(join(place, ".switchyard-")))
  } catch (error) {
    const why = error instanceof Error && "code" in error ? error.code : error
    throw new UsageError(`Can't write to ${target}: nothing can be created in ${place} (${why}).`)
  }
}

/**
 * Unpacks a zip into a directory, either completely or not at all. Unpacks into a temporary directory on the same disk,
 * then moves the files. Validates every entry before writing anything. Returns the number of files.
 */
export async function unpack(
  zip: string,
  target: string,
  options: { merge: boolean; signal: AbortSignal },
): Promise<number> {
  await checkTarget(target, options)
  const place = resolve(target)
  const exists = (await namesIn(place)) !== undefined
  // Move the files into the existing directory instead of replacing it, because it may be a mount point or in use.
  const parent = exists ? place : dirname(place)
  await makeFolder(parent)
  const staging = await mkdtemp(join(parent, `.${exists ? "switchyard" : basename(place)}-`))
  try {
    const content = join(staging, "content")
    const entries = await unpackAll(zip, content, options)
    options.signal.throwIfAborted()
    if (exists) await moveInto(content, place, entries)
    else await rename(content, place)
    return entries.filter((path) => !path.endsWith("/")).length
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

async function unpackAll(zip: string, content: string, { signal }: { signal: AbortSignal }): Promise<string[]> {
  await mkdir(content)
  const file = await refusing(openPromise(zip, { autoClose: false, strictFileNames: true }))
  try {
    const entries = await refusing(readEntries(file, LIMITS))
    refuseRepositories(entries.map((entry) => entry.fileName))
    for (const entry of entries) await unpackEntry(file, entry, join(content, entry.fileName), { signal })
    return entries.map((entry) => entry.fileName)
  } finally {
    file.close()
  }
}

/**
 * Throws if the archive contains a git repository. Even `git status` would run programs that are named in its config.
 */
function refuseRepositories(paths: string[]): void {
  const names = new Map<string, Set<string>>()
  for (const path of paths) {
    const parts = path.replace(/\/$/, "").split("/")
    for (const [depth, name] of parts.entries()) {
      const folder = parts.slice(0, depth).join("/").toLowerCase()
      names.set(folder, (names.get(folder) ?? new Set()).add(name))
    }
  }
  const found = [...names].find(([, inFolder]) => isRepository([...inFolder]))
  if (!found) return
  const where = found[0] === "" ? "The archive" : `The archive's ${JSON.stringify(found[0].slice(0, 200))}`
  throw new ArchiveRefused(
    `${where} is a git repository whose configuration could run programs. Download it as a zip instead.`,
  )
}

async function unpackEntry(file: ZipFile, entry: Entry, path: string, { signal }: { signal: AbortSignal }) {
  if (isDirectoryEntry(entry)) return void (await makeFolder(path))
  await makeFolder(dirname(path))
  // Use "wx". Otherwise, on a case-insensitive disk, a second file could replace a file whose name differs only in
  // case.
  const target = createWriteStream(path, { flags: "wx", mode: modeOf(entry) })
  await refusing(pipeline(readContent(file, entry, LIMITS), target, { signal }))
}

/** Converts plain errors from the archive library to `ArchiveRefused`. */
async function refusing<T>(task: Promise<T>): Promise<T> {
  try {
    return await task
  } catch (error) {
    if (hasCode(error, "EEXIST")) throw new ArchiveRefused("Two names in the archive are the same on this disk.")
    if (!(error instanceof Error) || error instanceof ArchiveRefused || "code" in error) throw error
    throw new ArchiveRefused(error.message, { cause: error })
  }
}

async function namesIn(directory: string): Promise<string[] | undefined> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined
    if (hasCode(error, "ENOTDIR")) throw new UsageError(`${directory} isn't a directory.`)
    throw error
  }
}
