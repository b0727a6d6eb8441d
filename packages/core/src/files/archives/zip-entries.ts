import { setImmediate } from "node:timers/promises"
import { crc32 } from "node:zlib"
import type { Entry, ZipFile } from "yauzl"
import { pathProblem } from "../workspaces/path.ts"
import { createTwinFinder } from "../workspaces/twins.ts"

/** Limits for uploaded archives, with a function that creates the error for an archive that exceeds them. */
export interface ZipLimits {
  entries: number
  /** Maximum total size of all files after unpacking. */
  sizeBytes: number
  refusal(why: string): Error
}

/** Maximum number of folders in an archive, including those that only appear in paths. */
const MAX_FOLDERS = 20_000
const ENTRIES_AT_ONCE = 100

/**
 * Reads and validates all entries. They must be files or folders with safe relative paths, without duplicates, and
 * within the limits.
 */
export async function readEntries(file: ZipFile, limits: ZipLimits): Promise<Entry[]> {
  if (file.entryCount > limits.entries) throw limits.refusal(`It has more than ${limits.entries} entries.`)
  const entries: Entry[] = []
  const files = new Set<string>()
  const folders = new Set<string>()
  const twins = createTwinFinder()
  let sizeBytes = 0
  for await (const entry of file.eachEntry()) {
    const path = entry.fileName.replace(/\/$/, "")
    const refuse = (why: string) => limits.refusal(`Its entry ${JSON.stringify(path.slice(0, 200))} ${why}.`)
    const problem = pathProblem(path)
    if (problem) throw refuse(`has a forbidden name: it ${problem}`)
    if (!isFileOrFolder(entry)) throw refuse("is neither a file nor a folder")
    if (!entry.canDecodeFileData()) throw refuse("can't be decoded")
    if (files.has(path)) throw refuse("is a duplicate")
    if (twins.add(path) !== undefined) throw refuse("is a duplicate in a different Unicode form")

    addParents(path, folders)
    if (isDirectoryEntry(entry)) folders.add(path)
    else files.add(path)
    if (folders.size > MAX_FOLDERS) throw limits.refusal(`It has more than ${MAX_FOLDERS} folders.`)
    sizeBytes += entry.uncompressedSize
    if (sizeBytes > limits.sizeBytes) throw refuse(`makes it larger than ${formatBytes(limits.sizeBytes)}`)
    entries.push(entry)
    // Yields to the event loop so that a server can handle other requests.
    if (entries.length % ENTRIES_AT_ONCE === 0) await setImmediate()
  }
  const both = [...files].find((path) => folders.has(path))
  if (both) throw limits.refusal(`Its entry ${JSON.stringify(both.slice(0, 200))} is both a file and a folder.`)
  return entries
}

/** Adds the parent folders of a path. If a folder is already present, its parents are too. */
function addParents(path: string, folders: Set<string>): void {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const folder = path.slice(0, end)
    if (folders.has(folder)) return
    folders.add(folder)
  }
}

/** Yields the bytes of a file. Throws at the end if the checksum is wrong. */
export async function* readContent(file: ZipFile, entry: Entry, { refusal }: ZipLimits): AsyncGenerator<Buffer> {
  let sum = 0
  for await (const chunk of await file.openReadStreamPromise(entry)) {
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (sum !== entry.crc32) throw refusal(`Its entry ${JSON.stringify(entry.fileName)} is damaged.`)
}

export function isDirectoryEntry(entry: Entry): boolean {
  return entry.fileName.endsWith("/")
}

/**
 * Returns a file's mode in the form that git stores it. The Unix mode, if there is one, is the upper half of the
 * attributes.
 */
export function modeOf(entry: Entry): number {
  return unixMode(entry) & 0o111 ? 0o755 : 0o644
}

function formatBytes(sizeBytes: number): string {
  return sizeBytes >= 1024 ** 3 ? `${sizeBytes / 1024 ** 3} GB` : `${sizeBytes / 1024 ** 2} MB`
}

const TYPE_MASK = 0o170000
const FILE_OR_FOLDER = [0, 0o100000, 0o040000]

function isFileOrFolder(entry: Entry): boolean {
  return FILE_OR_FOLDER.includes(unixMode(entry) & TYPE_MASK)
}

function unixMode(entry: Entry): number {
  return entry.externalFileAttributes >>> 16
}
