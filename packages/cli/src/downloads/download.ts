import { createWriteStream } from "node:fs"
import { mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { makeFolder } from "@switchyard/core/storage/make-folder"
import type { Api } from "../api/api.ts"
import { Refused, Unreachable, UsageError } from "../errors/errors.ts"
import { orUnreachable, request } from "../server/connection.ts"
import type { RetryPolicy } from "../server/retry.ts"
import { statIfThere } from "./move-into.ts"
import { unpack } from "./unpack.ts"

interface DownloadDeps {
  api: Api
  /** Retry policy for the object store. Download links point to the store, not to our server. */
  storeRetries: RetryPolicy
}

/** Downloads a workspace's files into a directory, either all of them or none. Returns the number of files. */
export async function downloadInto(
  deps: DownloadDeps,
  workspaceId: string,
  directory: string,
  options: { merge: boolean; signal: AbortSignal },
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-"))
  try {
    const zip = join(folder, "project.zip")
    await fetchZip(deps, workspaceId, zip, options)
    return await unpack(zip, directory, options)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Downloads a workspace as a zip file, either completely or not at all. */
export async function downloadZip(
  deps: DownloadDeps,
  workspaceId: string,
  file: string,
  options: { overwrite: boolean; signal: AbortSignal },
): Promise<void> {
  if (!options.overwrite) await checkFile(file)
  const parent = dirname(resolve(file))
  await makeFolder(parent)
  const folder = await mkdtemp(join(parent, ".switchyard-"))
  try {
    const zip = join(folder, "project.zip")
    await fetchZip(deps, workspaceId, zip, options)
    await rename(zip, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Downloads the zip to a file. Requests a new link for each attempt, because links expire. After an interruption,
 * resumes the download if the store still has the same zip.
 */
async function fetchZip({ api, storeRetries }: DownloadDeps, workspaceId: string, file: string, options: Waiting) {
  let etag: string | null = null
  await storeRetries.retry(async () => {
    const url = await api.downloadUrl(workspaceId, options)
    const saved = (await statIfThere(file))?.size ?? 0
    // Don't send credentials: the link is signed, and may point to another host.
    const headers = etag && saved > 0 ? { "If-Range": etag, Range: `bytes=${saved}-` } : undefined
    const response = await request(url, { ...options, headers })
    if (!response.ok || !response.body) throw linkFault(response.status)
    etag = response.headers.get("etag")
    const source = Readable.from(response.body)
    const flags = response.status === 206 ? "a" : "w"
    await orUnreachable(() => save(source, file, { ...options, flags }), "The download was interrupted", options)
  }, options)
}

interface Waiting {
  signal: AbortSignal
}

async function save(source: Readable, file: string, { flags, signal }: Waiting & { flags: "a" | "w" }) {
  try {
    await pipeline(source, createWriteStream(file, { flags }), { signal })
  } catch (error) {
    // Only disk errors have a `syscall` here. Don't retry them like network failures, because the disk may be full.
    if (error instanceof Error && "syscall" in error) throw new UsageError(`Can't save the zip: ${error.message}.`)
    throw error
  }
}

function linkFault(status: number): Error {
  const message = `The download link returned status ${status}.`
  // A link that has expired returns 403. A retry requests a new link.
  return status >= 500 || status === 403 ? new Unreachable(message) : new Refused(status, "download_failed", message)
}

async function checkFile(file: string) {
  const stats = await statIfThere(file)
  if (stats) throw new UsageError(`${file} already exists. Use --force to replace it.`)
}
