import { createWriteStream } from "node:fs"
import { mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { makeFolder } from "@switchyard/core/storage/make-folder"
import type { Api } from "./api.ts"
import { request, unlessCut } from "./connection.ts"
import { Refused, Unreachable, UsageError } from "./errors.ts"
import { statIfThere } from "./move-into.ts"
import type { Patience } from "./patience.ts"
import { unpack } from "./unpack.ts"

interface DownloadDeps {
  api: Api
  /** With the store that a link leads to, which is another server than ours. */
  storePatience: Patience
}

/** Puts a workspace's files into a directory, all or none of them. Returns their number. */
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

/** Keeps a workspace's zip under a name, whole or not at all. */
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
 * Every try asks for a link of its own, for a link lives only for a while. What was saved before a cut isn't fetched again,
 * if the store says that it still is of the same zip.
 */
async function fetchZip({ api, storePatience }: DownloadDeps, workspaceId: string, file: string, options: Waiting) {
  let etag: string | null = null
  await storePatience.retry(async () => {
    const url = await api.downloadUrl(workspaceId, options)
    const saved = (await statIfThere(file))?.size ?? 0
    // Nothing else of ours goes along: the link leads elsewhere, and is all that it takes.
    const headers = etag && saved > 0 ? { "If-Range": etag, Range: `bytes=${saved}-` } : undefined
    const response = await request(url, { ...options, headers })
    if (!response.ok || !response.body) throw linkFault(response.status)
    etag = response.headers.get("etag")
    const source = Readable.from(response.body)
    const flags = response.status === 206 ? "a" : "w"
    await unlessCut(() => save(source, file, { ...options, flags }), "The download was cut", options)
  }, options)
}

interface Waiting {
  signal: AbortSignal
}

async function save(source: Readable, file: string, { flags, signal }: Waiting & { flags: "a" | "w" }) {
  try {
    await pipeline(source, createWriteStream(file, { flags }), { signal })
  } catch (error) {
    // Only the disk's errors name a system call here; a full one is no matter of the network's.
    if (error instanceof Error && "syscall" in error) throw new UsageError(`The zip can't be saved: ${error.message}.`)
    throw error
  }
}

function linkFault(status: number): Error {
  const message = `The download's link answered with ${status}.`
  // 403 is what a link says when it came too late.
  return status >= 500 || status === 403 ? new Unreachable(message) : new Refused(status, "download_failed", message)
}

async function checkFile(file: string) {
  const stats = await statIfThere(file)
  if (stats) throw new UsageError(`${file} exists. Use --force to replace it.`)
}
