import { constants, inflateSync } from "node:zlib"
import type { Files } from "../../files/files.ts"
import type { Git } from "./git.ts"

/** Reads blobs from a repository. Skips blobs that are missing or larger than `maxBytes`. */
export async function readBlobs(
  git: Git,
  cwd: string,
  blobs: string[],
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Map<string, Buffer>> {
  const sizes = await blobSizes(git, cwd, blobs, { signal })
  const small = [...sizes].flatMap(([blob, size]) => (size <= maxBytes ? [blob] : []))
  if (small.length === 0) return new Map()
  const { stdout } = await git(["cat-file", "--batch"], { cwd, input: `${small.join("\n")}\n`, signal })
  const contents = new Map<string, Buffer>()
  let at = 0
  for (const blob of small) {
    const content = stdout.indexOf("\n", at) + 1
    const end = content + (sizes.get(blob) ?? 0)
    contents.set(blob, stdout.subarray(content, end))
    at = end + 1
  }
  return contents
}

/**
 * Returns the sizes of the blobs that exist. Git isn't started if all of them are files of their own in the folder
 * `objects`.
 */
export async function blobSizes(
  git: Git,
  cwd: string,
  blobs: string[],
  { objects, signal }: { objects?: string; signal: AbortSignal },
): Promise<Map<string, number>> {
  const wanted = [...new Set(blobs)].filter((blob) => !/^0+$/.test(blob))
  if (wanted.length === 0) return new Map()
  if (objects !== undefined && wanted.length <= FEW_BLOBS) {
    const sizes = await Promise.all(wanted.map((blob) => looseSize(git.files, objects, blob)))
    const known = wanted.flatMap((blob, index) => (sizes[index] === undefined ? [] : [[blob, sizes[index]] as const]))
    if (known.length === wanted.length) return new Map(known)
  }
  const { stdout } = await git(["cat-file", "--batch-check"], { cwd, input: `${wanted.join("\n")}\n`, signal })
  const found = stdout
    .toString()
    .split("\n")
    .map((each) => /^([0-9a-f]+) blob (\d+)$/.exec(each))
  return new Map(found.flatMap((match) => (match ? [[match[1] ?? "", Number(match[2])] as const] : [])))
}

/** Stores bytes as a blob, without applying filters, and returns the blob ID. */
export async function writeBlob(git: Git, cwd: string, bytes: Uint8Array, { signal }: { signal: AbortSignal }) {
  const { stdout } = await git(["hash-object", "-w", "--stdin"], { cwd, input: bytes, signal })
  return stdout.toString().trim()
}

/** Number of blobs above which starting git takes less time than reading files. */
const FEW_BLOBS = 50
/** Number of compressed bytes that suffice for an object's type and size. */
const HEADER_BYTES = 64

/** Returns the size of a blob that is stored as a file of its own. Undefined if it isn't, or can't be read. */
async function looseSize(files: Files, objects: string, blob: string): Promise<number | undefined> {
  try {
    const bytes = await files.readPart(`${objects}/${blob.slice(0, 2)}/${blob.slice(2)}`, 0, HEADER_BYTES)
    const header = inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 1 << 20 })
    const [, size] = /^blob (\d+)\0/.exec(header.toString("latin1", 0, HEADER_BYTES)) ?? []
    return size === undefined ? undefined : Number(size)
  } catch {
    return undefined
  }
}
