import type { Entry, ZipFile } from "yauzl"
import { AppError } from "../../errors.ts"
import { readAll } from "../../storage/blobs.ts"
import type { Change } from "../workspaces/manifest.ts"
import { type WorkspacePath, workspacePath } from "../workspaces/path.ts"
import { isDirectoryEntry, modeOf, readContent, readEntries, type ZipLimits } from "./zip-entries.ts"

const LIMITS: ZipLimits = {
  entries: 5000,
  sizeBytes: 64 * 1024 ** 2,
  refusal: (why) => new AppError("workspace_validation_error", `The archive can't be unpacked. ${why}`),
}

const DAMAGED = "The archive can't be unpacked. It isn't a zip file, or it is damaged."

/**
 * Returns changes that write the files and folders of a small archive, replacing existing ones. Throws
 * `workspace_validation_error` if the archive is invalid.
 */
export async function unzipChanges(zip: Buffer): Promise<Change[]> {
  try {
    const file = await open(zip)
    const entries = await readEntries(file, LIMITS)
    const changes: Change[] = []
    for (const entry of entries) changes.push(await toChange(file, entry))
    return changes
  } catch (error) {
    // Plain errors come only from yauzl, and only for problems with the archive.
    if (error instanceof AppError || !(error instanceof Error)) throw error
    throw LIMITS.refusal(`${error.message}.`)
  }
}

/** Opens an archive. If it isn't a zip file, the error contains yauzl's reason, which names the missing record. */
async function open(zip: Buffer): Promise<ZipFile> {
  // Loaded on the first archive upload, because uploads are rare.
  const { default: yauzl } = await import("yauzl")
  try {
    return await yauzl.fromBufferPromise(zip, { strictFileNames: true })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError("workspace_validation_error", DAMAGED, { reason }, { cause })
  }
}

async function toChange(file: ZipFile, entry: Entry): Promise<Change> {
  const path: WorkspacePath = workspacePath(entry.fileName.replace(/\/$/, ""))
  if (isDirectoryEntry(entry)) return { op: "make_folder", path }
  return { op: "write", path, bytes: await readAll(readContent(file, entry, LIMITS)), mode: modeOf(entry) }
}
