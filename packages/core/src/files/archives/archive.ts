import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { AppError } from "../../errors.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import { createWorkspaceStore, type WorkspaceStore } from "../workspaces/blob-store.ts"
import type { Manifest, ManifestFile, WorkspaceVersion } from "../workspaces/manifest.ts"
import { compress, type ZipMember, zipArchive } from "./zip.ts"

const STREAM_FROM_BYTES = 1024 * 1024
const FILES_AT_ONCE = 48
const BYTES_AT_ONCE = 4 * 1024 * 1024

/**
 * Returns the blob key of a version's archive, and makes the archive first if necessary. The archive contains exactly
 * the files and folders in the manifest, including empty folders. Concurrent calls make identical archives.
 */
export async function ensureArchive(
  { blobs }: { blobs: Blobs },
  session: Pick<SessionLog, "sid" | "state">,
  { at = session.state.workspace, signal }: { at?: WorkspaceVersion; signal?: AbortSignal },
): Promise<string> {
  const store = createWorkspaceStore(blobs, { sid: session.sid, incarnation: session.state.session.incarnation })
  const key = store.archiveKey(at.manifest)
  if (await blobs.head(key, { signal })) return key
  const manifest = await store.readManifest(at.manifest, { signal })
  await blobs.put(key, zipArchive(members(store, manifest, signal)), { contentType: "application/zip", signal })
  return key
}

/**
 * Yields the members in path order. Small files are read and compressed concurrently, because most of the time is
 * latency.
 */
function members(store: WorkspaceStore, manifest: Manifest, signal?: AbortSignal): AsyncGenerator<ZipMember> {
  const folders = manifest.folders.map((path) => ({ path, folder: true as const }))
  const paths = [...manifest.files, ...folders].sort((a, b) => (a.path < b.path ? -1 : 1))
  const member = async (item: (typeof paths)[number]): Promise<ZipMember> => {
    if ("folder" in item) return item
    const { path, mode, size } = item
    if (size >= STREAM_FROM_BYTES) return { path, mode, source: readLazily(store, item, signal), sizeBytes: size }
    const compressed = await compress(await readAll(await store.read(item.sha256, { signal })))
    if (compressed.sizeBytes === size) return { path, mode, compressed }
    throw new AppError("workspace_error", "A file's size doesn't match its manifest.", { path })
  }
  const weigh = (item: (typeof paths)[number]) => ("size" in item && item.size < STREAM_FROM_BYTES ? item.size : 0)
  return mapConcurrent(paths, member, { atOnce: FILES_AT_ONCE, budget: BYTES_AT_ONCE, weigh })
}

/**
 * Opens the blob only when its content is needed, because the blob store closes connections that are idle for a minute.
 */
async function* readLazily(store: WorkspaceStore, { sha256 }: ManifestFile, signal?: AbortSignal) {
  yield* await store.read(sha256, { signal })
}
