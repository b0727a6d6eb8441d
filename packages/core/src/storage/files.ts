import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { type FileHandle, mkdir, open, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { AppError } from "../errors.ts"
import { systemFault } from "../system-faults.ts"
import type { BlobInfo, BlobKey, BlobSource, Blobs } from "./blobs.ts"
import { chunksOf } from "./byte-source.ts"
import { createFileIndex, type FileIndex, type IndexedBlob } from "./file-index.ts"
import { checkBlobKey, checkByteRange, checkPrefix, checkRemovedPrefix } from "./limits.ts"
import { type BlobLinks, signedBlobUrl } from "./signed-blobs.ts"

/**
 * Creates a store of blobs as files in one directory, which several processes can use safely. Each put writes a file
 * with a new random name, and then points the key to this file in the index. Keys are therefore never used as file
 * names, blobs are replaced atomically, and a reader can finish reading the version that it started with.
 */
export function createFileBlobs({ directory, ...links }: { directory: string } & BlobLinks): Blobs & {
  close(): void
  shrink(): void
} {
  const { now = Date.now } = links
  const index = createFileIndex({ file: join(directory, "index.sqlite"), now })
  const pathOf = (file: string) => join(directory, "files", file.slice(0, 2), file)

  /** Removes condemned files. A reader that has a file open can still finish reading it. */
  async function collect(files: string[]) {
    for (const file of files) await rm(pathOf(file), { force: true })
    index.forget(files)
  }

  return {
    async copy(from, to, { signal } = {}) {
      checkBlobKey(to)
      const source = await this.get(from, { signal })
      if (!source) return false
      await this.put(to, source, { contentType: index.find(from)?.contentType ?? undefined, signal })
      return true
    },

    async put(key, source, { contentType, signal } = {}) {
      signal?.throwIfAborted()
      checkBlobKey(key)
      await collect(index.condemnedFor(ABANDONED_MS))
      const file = randomBytes(16).toString("hex")
      index.condemn(file)
      const sizeBytes = await write(pathOf(file), source, signal).catch(async (error) => {
        await collect([file])
        throw error
      })
      const before = index.point(key, file, sizeBytes, contentType)
      if (before) await collect([before])
      return sizeBytes
    },

    async get(key, { range, signal } = {}) {
      signal?.throwIfAborted()
      checkBlobKey(key)
      checkByteRange(range)
      const found = index.find(key)
      return found && read(index, pathOf, found, range, signal)
    },

    async head(key, { signal } = {}) {
      signal?.throwIfAborted()
      checkBlobKey(key)
      const found = index.find(key)
      return found && toInfo(found)
    },

    async *list(prefix, { signal } = {}) {
      checkPrefix(prefix)
      for (let after: BlobKey | undefined; ; ) {
        signal?.throwIfAborted()
        const page = index.page(prefix, after, PAGE)
        for (const blob of page) yield toInfo(blob)
        after = page.at(-1)?.key
        if (after === undefined) return
      }
    },

    async remove(prefix, { signal } = {}) {
      checkRemovedPrefix(prefix)
      for (let after: BlobKey | undefined; ; ) {
        signal?.throwIfAborted()
        const dropped = index.drop(prefix, after, PAGE)
        await collect(dropped.map((blob) => blob.file))
        after = dropped.at(-1)?.key
        if (after === undefined) return
      }
    },

    async signedUrl(key, options) {
      return signedBlobUrl(links, key, { ...options, contentType: options.contentType ?? index.find(key)?.contentType })
    },

    close: index.close,
    shrink: index.shrink,
  }
}

const PAGE = 500

const CHUNK_BYTES = 128 * 1024
const SMALL_BYTES = 64 * 1024

/** Time after which the writer of an unfinished file is presumed dead. */
const ABANDONED_MS = 24 * 60 * 60 * 1000

/** Maps errors caused by a full or failing disk, or by too many open files, to `storage_unavailable`. */
function throwUnavailable(error: unknown): never {
  const fault = systemFault(error)
  if (fault?.type !== "storage_unavailable") throw error
  throw new AppError("storage_unavailable", fault.message, { hint: fault.hint }, { cause: error })
}

async function write(path: string, source: BlobSource, signal: AbortSignal | undefined): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(throwUnavailable)
  await using handle = await open(path, "wx", 0o600).catch(throwUnavailable)
  let sizeBytes = 0
  for await (const chunk of chunksOf(source, signal)) {
    await handle.writeFile(chunk).catch(throwUnavailable)
    sizeBytes += chunk.byteLength
  }
  // Without this call, the index could point to bytes that hadn't reached the disk before a power failure.
  await handle.datasync().catch(throwUnavailable)
  return sizeBytes
}

async function* read(
  index: FileIndex,
  pathOf: (file: string) => string,
  found: IndexedBlob,
  range: { start: number; end?: number } | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()
  const small = range ? undefined : readSmall(found, pathOf)
  if (small) {
    yield small
    return
  }
  const { blob, handle: opened } = await openBlob(index, pathOf, found.key)
  await using handle = opened
  const { start = 0, end = Number.POSITIVE_INFINITY } = range ?? {}
  const after = Math.min(end + 1, blob.sizeBytes)
  for (let position = start; position < after; ) {
    signal?.throwIfAborted()
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, after - position))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position).catch(throwUnavailable)
    if (bytesRead === 0) throw damaged(blob, "is shorter than it was")
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

/**
 * Reads a small blob synchronously, because three round trips to the thread pool would take longer. Returns undefined
 * if the blob's file has just been removed.
 */
function readSmall({ file, sizeBytes }: IndexedBlob, pathOf: (file: string) => string): Uint8Array | undefined {
  if (sizeBytes === 0 || sizeBytes > SMALL_BYTES) return undefined
  try {
    const bytes = readFileSync(pathOf(file))
    return bytes.length === sizeBytes ? bytes : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    return throwUnavailable(error)
  }
}

/** Opens the file that the key points to. If the file is gone, the blob was replaced, so the index is read again. */
async function openBlob(index: FileIndex, pathOf: (file: string) => string, key: BlobKey) {
  let missing: string | undefined
  for (;;) {
    const blob = index.find(key)
    if (!blob) throw new AppError("not_found", "The blob was removed before it was read.")
    if (blob.file === missing) throw damaged(blob, "is missing")
    const handle = await openIfThere(pathOf(blob.file))
    if (handle) return { blob, handle }
    missing = blob.file
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    return throwUnavailable(error)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT"
}

/**
 * Creates the error for a file that has changed since it was written, because another program modified the folder or
 * the disk lost data.
 */
function damaged({ key, file }: IndexedBlob, how: string): AppError {
  return new AppError("storage_damaged", `A file in the server's data folder ${how}.`, { key, file })
}

function toInfo({ key, sizeBytes, modifiedAt }: IndexedBlob): BlobInfo {
  return { key, sizeBytes, modifiedAt }
}
