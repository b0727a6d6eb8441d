import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { AppError } from "../../errors.ts"
import { incarnationBlobs } from "../../kernel/keys.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import { Manifest, manifestText } from "./manifest.ts"
import { emptyManifest } from "./tree-model.ts"

/** Store for the blobs of one workspace, by content hash. Commits refer to these blobs. */
export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>

export function createWorkspaceStore(blobs: Blobs, session: { sid: string; incarnation: number }) {
  const root = incarnationBlobs(session.sid, session.incarnation)
  /** Commits don't refer to outlines, which are recomputed when needed. */
  const prefixes = {
    ...{ blobs: `${root}blobs/`, manifests: `${root}manifests/` },
    ...{ archives: `${root}archives/`, outlines: `${root}outlines/` },
  }
  const blobKey = (sha256: string): string => `${prefixes.blobs}${sha256}`
  const manifestKey = (sha256: string): string => `${prefixes.manifests}${sha256}`

  async function get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const bytes = await blobs.get(key, { signal })
    if (!bytes) throw new AppError("workspace_error", "Part of the workspace's data is missing.", { key })
    return bytes
  }

  return {
    prefixes,
    blobKey,
    manifestKey,
    archiveKey: (manifest: string | null): string =>
      `${prefixes.archives}${manifest ?? sha256Of(manifestText(emptyManifest))}.zip`,
    read: (sha256: string, { signal }: { signal?: AbortSignal }): Promise<AsyncIterable<Uint8Array>> =>
      get(blobKey(sha256), signal),
    async write(sha256: string, bytes: Uint8Array, { signal }: { signal?: AbortSignal }): Promise<void> {
      await blobs.put(blobKey(sha256), bytes, { signal })
    },
    async readManifest(sha256: string | null, { signal }: { signal?: AbortSignal }): Promise<Manifest> {
      if (sha256 === null) return emptyManifest
      return Manifest.parse(JSON.parse((await readAll(await get(manifestKey(sha256), signal))).toString()))
    },
    /** Stores a manifest and returns its hash. */
    async writeManifest(manifest: Manifest, { signal }: { signal?: AbortSignal }): Promise<string> {
      const text = manifestText(manifest)
      const sha256 = sha256Of(text)
      await blobs.put(manifestKey(sha256), Buffer.from(text), { contentType: "application/json", signal })
      return sha256
    },
  }
}

export function sha256Of(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex")
}

/** True if an editor can't show these bytes as text, or can't save them unchanged. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0) || !isUtf8(bytes)
}
