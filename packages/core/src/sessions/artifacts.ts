import { AppError } from "../errors.ts"
import { createWorkspaceStore } from "../files/workspaces/blob-store.ts"
import { artifactBlobs } from "../kernel/keys.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import { type Blobs, readAll } from "../storage/blobs.ts"

/** A blob that belongs to a session's log. */
export interface Artifact {
  key: string
  sizeBytes: number
  /** Reads all bytes into memory. Only for small artifacts. */
  read(options: { signal: AbortSignal }): Promise<Buffer<ArrayBuffer>>
}

/**
 * Returns the artifact with this hash: a file from any version of the session's workspace, or an event payload. Doesn't
 * find artifacts of other sessions or of earlier incarnations of this session, because each of them stores its own copy
 * under a different key.
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
