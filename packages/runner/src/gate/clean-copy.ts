import { join } from "node:path"
import { mapConcurrent } from "@switchyard/core/concurrency/map-concurrent"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import type { Manifest } from "@switchyard/core/files/workspaces/manifest"
import { type Blobs, readAll } from "@switchyard/core/storage/blobs"
import type { Files } from "../files/files.ts"

const AT_ONCE = 8

/** Replaces a folder with a copy of exactly these session files. */
export async function makeCleanCopy(
  { blobs, disk }: { blobs: Blobs; disk: Files },
  session: { sid: string; incarnation: number },
  { files, folders }: Manifest,
  folder: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const store = createWorkspaceStore(blobs, session)
  await disk.remove(folder)
  await disk.makeFolder(folder)
  for (const path of folders) await disk.makeFolder(join(folder, path))
  const write = async ({ path, sha256, mode }: Manifest["files"][number]) => {
    await disk.replace(folder, path, mode, await readAll(await store.read(sha256, { signal })))
  }
  for await (const _ of mapConcurrent(files, write, { atOnce: AT_ONCE }));
}
