import { dirname, join } from "node:path"
import type { SavedProject } from "@switchyard/core/files/worktrees/checkpoint-schema"
import type { NewId } from "@switchyard/core/ids"
import { artifactBlobs } from "@switchyard/core/kernel/keys"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Files } from "../files/files.ts"
import { bundleWorkSnapshot, hasCommit, type WorkSnapshot } from "../git/saves/work-snapshot.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import { outFolder } from "../sandbox/git-sandbox.ts"

/**
 * Maximum number of bundles that a restore has to fetch. When the limit is reached, the next save starts over with a
 * full bundle.
 */
const MAX_BUNDLES = 64

/**
 * Uploads the changes in the snapshot since the last save. If the snapshot can't be based on that save, uploads all of
 * it.
 */
export async function uploadBundle(
  { blobs, newId, sid, incarnation }: { blobs: Blobs; newId: NewId; sid: string; incarnation: number },
  { worktree, own, snapshot }: { worktree: Worktree; own: boolean; snapshot: WorkSnapshot },
  { tip, bundles }: SavedProject,
  { signal }: { signal: AbortSignal },
): Promise<Pick<SavedProject, "bundles" | "tip">> {
  const buildsOn = tip !== null && bundles.length < MAX_BUNDLES && (await hasCommit(worktree, tip, { signal }))
  const since = buildsOn ? tip : null
  const file = join(outFolder(worktree), `${newId("bat")}.bundle`)
  const commit = await snapshot.commit(since)
  const { files } = worktree.git
  await files.makeFolder(dirname(file))
  try {
    await bundleWorkSnapshot(worktree, { commit, since, own, file }, { signal })
    const key = `${artifactBlobs(sid, incarnation)}saves/${newId("bat")}.bundle`
    const size_bytes = await blobs.put(key, partsOf(files, file), { signal })
    return { bundles: [...(buildsOn ? bundles : []), { key, size_bytes }], tip: commit }
  } finally {
    await files.remove(file)
  }
}

const PART_BYTES = 1024 * 1024

async function* partsOf(files: Files, file: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const part = await files.readPart(file, at, PART_BYTES)
    if (part.length === 0) return
    yield part
    at += part.length
  }
}
