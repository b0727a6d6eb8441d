import { AppError } from "../errors.ts"
import { createWorkspaceStore } from "../files/workspaces/blob-store.ts"
import { artifactBlobs } from "../kernel/keys.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import { type Blobs, readAll } from "../storage/blobs.ts"

/** A blob beside a session's log. */
export interface Artifact {
  key: string
  sizeBytes: number
  /** Reads all bytes, so only for small artifacts. */
  read(options: { signal: AbortSignal }): Promise<Buffer<ArrayBuffer>>
}

/**
 * The file with this hash, of any version of the session's workspace, or the payload of one of its events. The files of
 * other sessions have other keys, even for the same bytes; so have those of this session before it was deleted.
 */
export async function findArtifact(
  { blobs }: { blobs: Blobs },
  { sid, state }: SessionHandle,
  sha256: string,
  options: { signal: AbortSignal },
): Promise<Artifact | undefined> {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined
  const { incarnation } = state.session
  const keys = [
    createWorkspaceStore(blobs, { sid, incarnation }).blobKey(sha256),
    `${artifactBlobs(sid, incarnation)}${sha256}`,
  ]
  for (const key of keys) {
    const found = await blobs.head(key, options)
    if (found) return { key, sizeBytes: found.sizeBytes, read: (options) => readWhole(blobs, key, options) }
  }
  return undefined
}

async function readWhole(blobs: Blobs, key: string, options: { signal: AbortSignal }) {
  const source = await blobs.get(key, options)
  if (!source) throw new AppError("not_found", "The artifact was just removed.")
  return Buffer.from(await readAll(source))
}
