import { createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { pipeline } from "node:stream/promises"
import { crc32 } from "node:zlib"
import { isWorkspacePath } from "@switchyard/core/workspaces/path"
import { type Entry, openPromise, type ZipFile } from "yauzl"
import { ArchiveRefused, UsageError } from "./errors.ts"
import { hasCode, moveInto } from "./move-into.ts"

const ENTRIES_LIMIT = 100_000
const SIZE_LIMIT_BYTES = 4 * 1024 ** 3

/** Throws `UsageError` unless a project can be put into this directory: a new or an empty one, or any with `merge`. */
export async function checkTarget(target: string, { merge }: { merge: boolean }): Promise<void> {
  const names = await namesIn(target)
  if (names?.length && !merge) throw new UsageError(`${target} is not empty. Use --force to merge into it.`)
}

/**
 * Puts a zip's files into a directory, all or none of them: they are unpacked in a place of their own on the same disk
 * and then renamed. Nothing is written before every entry was looked at. Returns the number of files.
 */
export async function unpack(
  zip: string,
  target: string,
  options: { merge: boolean; signal: AbortSignal },
): Promise<number> {
  await checkTarget(target, options)
  const place = resolve(target)
  const exists = (await namesIn(place)) !== undefined
  // An existing directory may be somebody's working directory or a mount: it stays, and is filled from inside.
  const parent = exists ? place : dirname(place)
  await mkdir(parent, { recursive: true })
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
    const entries = await refusing(Array.fromAsync(checked(file)))
    for (const entry of entries) await unpackEntry(file, entry, join(content, entry.fileName), { signal })
    return entries.map((entry) => entry.fileName)
  } finally {
    file.close()
  }
}

async function* checked(file: ZipFile): AsyncGenerator<Entry> {
  if (file.entryCount > ENTRIES_LIMIT) throw new ArchiveRefused(`It has more than ${ENTRIES_LIMIT} entries.`)
  const files = new Set<string>()
  const folders = new Set<string>()
  let sizeBytes = 0
  for await (const entry of file.eachEntry()) {
    const path = entry.fileName.replace(/\/$/, "")
    const refuse = (why: string) => new ArchiveRefused(`Its entry ${JSON.stringify(path.slice(0, 200))} ${why}.`)
    if (!isWorkspacePath(path)) throw refuse("has a forbidden name")
    if (!isFileOrFolder(entry)) throw refuse("is neither a file nor a folder")
    if (!entry.canDecodeFileData()) throw refuse("can't be decoded")
    if (files.has(path)) throw refuse("is there twice")

    const parts = path.split("/")
    for (let depth = 1; depth < parts.length; depth++) folders.add(parts.slice(0, depth).join("/"))
    if (entry.fileName.endsWith("/")) folders.add(path)
    else files.add(path)
    sizeBytes += entry.uncompressedSize
    if (sizeBytes > SIZE_LIMIT_BYTES) throw refuse("makes it larger than 4 GB")
    yield entry
  }
  const both = [...files].find((path) => folders.has(path))
  if (both) throw new ArchiveRefused(`Its entry ${JSON.stringify(both.slice(0, 200))} is a file and a folder.`)
}

const TYPE_MASK = 0o170000
const FILE_OR_FOLDER = [0, 0o100000, 0o040000]

// The upper half is Unix's mode, where whoever made the archive had one.
function isFileOrFolder(entry: Entry): boolean {
  return FILE_OR_FOLDER.includes((entry.externalFileAttributes >>> 16) & TYPE_MASK)
}

async function unpackEntry(file: ZipFile, entry: Entry, path: string, { signal }: { signal: AbortSignal }) {
  if (entry.fileName.endsWith("/")) return void (await mkdir(path, { recursive: true }))
  await mkdir(dirname(path), { recursive: true })
  const mode = (entry.externalFileAttributes >>> 16) & 0o111 ? 0o755 : 0o644
  // "wx": on a disk that takes two names for one, the second doesn't replace the first.
  await refusing(pipeline(await contentOf(file, entry), createWriteStream(path, { flags: "wx", mode }), { signal }))
}

async function contentOf(file: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> {
  const source = await refusing(file.openReadStreamPromise(entry))
  return (async function* () {
    let sum = 0
    for await (const chunk of source) {
      sum = crc32(chunk, sum)
      yield chunk
    }
    if (sum !== entry.crc32) throw new ArchiveRefused(`Its entry ${JSON.stringify(entry.fileName)} is damaged.`)
  })()
}

/** The archive library's own errors are plain ones: told as what they are, that this archive isn't unpacked. */
async function refusing<T>(task: Promise<T>): Promise<T> {
  try {
    return await task
  } catch (error) {
    if (hasCode(error, "EEXIST")) throw new ArchiveRefused("Two of its names are one name on this disk.")
    if (!(error instanceof Error) || error instanceof ArchiveRefused || "code" in error) throw error
    throw new ArchiveRefused(error.message, { cause: error })
  }
}

async function namesIn(directory: string): Promise<string[] | undefined> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined
    if (hasCode(error, "ENOTDIR")) throw new UsageError(`${directory} is not a directory.`)
    throw error
  }
}
