import { isAppError } from "@switchyard/core/errors"
import { createWorkspaceStore, type WorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import { applyChanges } from "@switchyard/core/files/workspaces/changes"
import type { Manifest } from "@switchyard/core/files/workspaces/manifest"
import { putContents, splitContents } from "@switchyard/core/files/workspaces/stored-changes"
import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import type { WorktreeSnapshot } from "@switchyard/core/files/worktrees/snapshot-schema"
import { listFiles, type Portion, workspaceChanges } from "../git/worktrees/workspace-changes.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { locateWorktree, type WorktreeOf } from "./worktree-location.ts"

interface SnapshotRequest extends WorktreeOf {
  path: string
  status: WorktreeStatus
  since: string | null
}

const PORTION: Portion = { files: 500, bytes: 32 * 1024 * 1024 }
const LEFT_OUT_NAMED = 100

/**
 * Stores all files of a worktree as a version of the session's files. Doesn't store files again that an earlier
 * snapshot contains.
 */
export async function snapshotFiles(
  deps: ProjectDeps,
  { path, status, since, ...about }: SnapshotRequest,
  options: { signal: AbortSignal },
): Promise<WorktreeSnapshot> {
  const { sid, state } = about
  const { git } = locateWorktree(deps, about).where
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const paths = await listFiles(git, { tree: path }, options)
  let manifest = await earlier(store, since, options)
  for (;;) {
    const query = { tree: path, paths, manifest, seen: deps.seen, placeOf: deps.hiding.placeOf, portion: PORTION }
    const { changes, leftOut, rest } = await workspaceChanges(git, query, options)
    const { stored, contents } = splitContents(changes)
    await putContents(store, contents, options.signal)
    manifest = applyChanges(manifest, stored).manifest
    if (rest > 0) continue
    const { branch, commit = null } = status
    const left_out = leftOut.slice(0, LEFT_OUT_NAMED)
    const files = manifest.files.length
    return { manifest: await store.writeManifest(manifest, options), files, branch, commit, left_out }
  }
}

/** Returns the files of an earlier snapshot. Returns an empty list if the snapshot no longer exists. */
async function earlier(
  store: WorkspaceStore,
  since: string | null,
  options: { signal: AbortSignal },
): Promise<Manifest> {
  try {
    return await store.readManifest(since, options)
  } catch (error) {
    if (!isAppError(error, "workspace_error")) throw error
    return store.readManifest(null, options)
  }
}
