import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import type { SessionLife } from "../worktrees/repository-credentials.ts"
import { createWorkspaceStore } from "./blob-store.ts"
import type { Manifest } from "./manifest.ts"

/**
 * Many copies run concurrently, because most of the time is latency. Copied content is held in memory, so its total
 * size is limited.
 */
const COPIES = { atOnce: 32, budget: 8 * 1024 * 1024 }

/** Copies the file contents of a version to another session, and returns its manifest. */
export async function copyContents(
  { blobs }: { blobs: Blobs },
  { from, to }: { from: SessionLife; to: SessionLife },
  version: string | null,
  options: { signal: AbortSignal },
): Promise<Manifest> {
  const source = createWorkspaceStore(blobs, from)
  const target = createWorkspaceStore(blobs, to)
  const manifest = await source.readManifest(version, options)
  const sizes = new Map(manifest.files.map(({ sha256, size }) => [sha256, size]))
  const copy = async ([sha256]: [string, number]) => {
    await target.write(sha256, await readAll(await source.read(sha256, options)), options)
  }
  await Array.fromAsync(mapConcurrent(sizes, copy, { ...COPIES, weigh: ([, size]) => size }))
  return manifest
}
