import { AppError } from "../../errors.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { ahead } from "../../map-concurrent.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import { createWorkspaceStore, type WorkspaceStore } from "../workspaces/blob-store.ts"
import type { Manifest, ManifestFile, WorkspaceVersion } from "../workspaces/manifest.ts"
import { pack, type ZipMember, zipArchive } from "./zip.ts"

const HELD_BELOW_BYTES = 1024 * 1024
const FILES_AT_ONCE = 48
const BYTES_AT_ONCE = 4 * 1024 * 1024

/**
 * The blob key of a version's archive, which is made first if need be. It holds what the manifest names, folders that hold
 * nothing included, and nothing else. Two who make it at once make the same.
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

/** In order of the path. Small files are read and packed some at a time: what takes time is to wait for each of them. */
function members(store: WorkspaceStore, manifest: Manifest, signal?: AbortSignal): AsyncGenerator<ZipMember> {
  const folders = manifest.folders.map((path) => ({ path, folder: true as const }))
  const paths = [...manifest.files, ...folders].sort((a, b) => (a.path < b.path ? -1 : 1))
  const member = async (item: (typeof paths)[number]): Promise<ZipMember> => {
    if ("folder" in item) return item
    const { path, mode, size } = item
    if (size >= HELD_BELOW_BYTES) return { path, mode, source: lazily(store, item, signal), sizeBytes: size }
    const packed = await pack(await readAll(await store.read(item.sha256, { signal })))
    if (packed.sizeBytes === size) return { path, mode, packed }
    throw new AppError("workspace_error", "A file is not as long as it was said to be.", { path })
  }
  const weigh = (item: (typeof paths)[number]) => ("size" in item && item.size < HELD_BELOW_BYTES ? item.size : 0)
  return ahead(paths, member, { atOnce: FILES_AT_ONCE, budget: BYTES_AT_ONCE, weigh })
}

/** Opened only when its turn comes: a connection that waits for a minute is closed from the other side. */
async function* lazily(store: WorkspaceStore, { sha256 }: ManifestFile, signal?: AbortSignal) {
  yield* await store.read(sha256, { signal })
}
