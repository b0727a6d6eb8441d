import { constants } from "node:fs"
import { mkdir, open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import type { SavedProject } from "@switchyard/core/files/worktrees/checkpoint-schema"
import type { NewId } from "@switchyard/core/ids"
import { artifactBlobs } from "@switchyard/core/kernel/keys"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { bundleWorkSnapshot, hasCommit, type WorkSnapshot } from "../git/saves/work-snapshot.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"

/** Limit of bundles that a restore has to fetch; the next save then starts with a whole one. */
const MAX_BUNDLES = 64

/** Uploads what a snapshot has beyond the save before it, or all of it if that save can't be built on. */
export async function uploadBundle(
  { blobs, newId, sid, incarnation }: { blobs: Blobs; newId: NewId; sid: string; incarnation: number },
  { worktree, own, snapshot }: { worktree: Worktree; own: boolean; snapshot: WorkSnapshot },
  { tip, bundles }: SavedProject,
  { signal }: { signal: AbortSignal },
): Promise<Pick<SavedProject, "bundles" | "tip">> {
  const buildsOn = tip !== null && bundles.length < MAX_BUNDLES && (await hasCommit(worktree, tip, { signal }))
  const since = buildsOn ? tip : null
  const file = `${worktree.folder}.${newId("bat")}.bundle`
  const commit = await snapshot.commit(since)
  await mkdir(dirname(file), { recursive: true })
  try {
    await bundleWorkSnapshot(worktree, { commit, since, own, file }, { signal })
    const key = `${artifactBlobs(sid, incarnation)}saves/${newId("bat")}.bundle`
    const size_bytes = await upload(blobs, file, key, signal)
    return { bundles: [...(buildsOn ? bundles : []), { key, size_bytes }], tip: commit }
  } finally {
    await rm(file, { force: true })
  }
}

/** Follows no link: an agent may have put one in the place of git's file. */
async function upload(blobs: Blobs, file: string, key: string, signal: AbortSignal): Promise<number> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return await blobs.put(key, handle.createReadStream({ autoClose: false }), { signal })
  } finally {
    await handle.close()
  }
}
