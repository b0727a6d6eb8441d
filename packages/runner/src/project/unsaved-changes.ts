import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import type { Change, Manifest } from "@switchyard/core/files/workspaces/manifest"
import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { GitPath } from "../git/plumbing/git-path.ts"
import { openWorktree } from "../git/worktrees/open-worktree.ts"
import { findUnresolved } from "../git/worktrees/unresolved.ts"
import { listFiles, type Portion, unseen, workspaceChanges } from "../git/worktrees/workspace-changes.ts"
import { readWork } from "../git/worktrees/worktree-record.ts"
import { deletionEvents, heldDeletions, withoutDeletions } from "./deletions.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { readSyncedVersion } from "./sync-files.ts"
import { locateWorktree, type WorktreeOf } from "./worktree-location.ts"

/** Differences between a worktree and the session's files. */
export interface Unsaved {
  changes: Change[]
  leftOut: SkippedFile[]
  /** Events about deletions that are waiting for confirmation, or no longer are. */
  events: NewEvent[]
  /** Files that were changed in both the worktree and the session. The session keeps its own version. */
  conflicts: WorkspacePath[]
  /** Number of files that remain to be saved. */
  rest: number
}

/**
 * Finds a worktree's changes to the session's files, the files that can't be saved, and deletions that must be
 * confirmed.
 */
export async function unsavedChanges(
  deps: ProjectDeps,
  { sid, repository, path, paths, state, asked = false, isCommitted = false, portion }: UnsavedQuery,
  options: { signal: AbortSignal },
): Promise<Unsaved> {
  const { blobs, seen, leftOut: known, hiding } = deps
  const { placeOf } = hiding
  const worktree = await openWorktree(locateWorktree(deps, { sid, repository, state }).where, options)
  const unresolved = new Set(isCommitted ? [] : (await findUnresolved(worktree, options))?.files)
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  const manifest = await store.readManifest(state.workspace.manifest, options)
  const synced = await syncedManifest(deps, { sid, repository, state }, options)
  const base = repository === null ? undefined : () => baseOf(deps, { sid, repository, state }, options)
  const query = { tree: path, paths, manifest, synced, seen, placeOf, base, unresolved, portion }
  const found = await workspaceChanges(worktree.git, query, options)
  const { changes, leftOut, deleted, conflicts, rest } = found
  known.set(path, leftOut)
  const held =
    asked || repository !== null
      ? undefined
      : heldDeletions(manifest, deleted, worktreeOf(state, deps.worktree).heldDeletions !== null)
  const events = repository === null ? deletionEvents({ state, worktree: deps.worktree }, held, asked) : []
  // Save deletions last, so that a moved file is saved at its new path before its old path is deleted.
  const isPart = held !== undefined || rest > 0
  return { changes: isPart ? withoutDeletions(manifest, changes) : changes, leftOut, events, conflicts, rest }
}

/** A worktree, and its files as listed by `filesOf`. */
interface ListedWorktree extends WorktreeOf {
  path: string
  paths: GitPath[]
}

interface UnsavedQuery extends ListedWorktree {
  /** True if the deletions were confirmed. */
  asked?: boolean
  /** True if these paths were just committed, which requires that they contain no unresolved conflicts. */
  isCommitted?: boolean
  /** Maximum number of files and bytes per commit. */
  portion?: Portion
}

/** Counts the files that may have to be saved. Returns undefined if there are few enough to wait for them. */
export async function manyUnsaved(deps: ProjectDeps, about: ListedWorktree): Promise<number | undefined> {
  const { path: tree, paths, state } = about
  const { git } = locateWorktree(deps, about).where
  const { files, bytes } = await unseen(git, { tree, paths, seen: deps.seen, enough: IN_TASK.files })
  const { saving } = worktreeOf(state, deps.worktree)
  const many = Math.max(files, saving ? saving.total - saving.saved : 0)
  return many > IN_TASK.files || bytes > IN_TASK.bytes ? many : undefined
}

/**
 * Lists a worktree's files. For a repository, lists only files that differ from the base commit, because the repository
 * already contains the others.
 */
export async function filesOf(
  deps: ProjectDeps,
  about: WorktreeOf & { path: string },
  options: { signal: AbortSignal },
): Promise<GitPath[]> {
  const base = about.repository === null ? undefined : await baseOf(deps, about, options)
  return listFiles(locateWorktree(deps, about).where.git, { tree: about.path, base }, options)
}

/**
 * Maximum number and size of the changes that a task saves itself. Changes beyond this limit are saved after the task.
 */
const IN_TASK: Portion = { files: 1000, bytes: 32 * 1024 * 1024 }

/** Returns the version of the session's files that the worktree was last in sync with, if it is known. */
async function syncedManifest(
  deps: ProjectDeps,
  about: WorktreeOf,
  options: { signal: AbortSignal },
): Promise<Manifest | undefined> {
  const { sid, state } = about
  const level = await readSyncedVersion(locateWorktree(deps, about).notes)
  if (level === undefined) return undefined
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  return store.readManifest(level, options).catch(unlessCollected)
}

/** Ignores the error that an old version of the session's files was garbage-collected. */
function unlessCollected(error: unknown): undefined {
  if (!isAppError(error, "workspace_error")) throw error
}

async function baseOf(deps: ProjectDeps, about: WorktreeOf, options: { signal: AbortSignal }): Promise<string> {
  const { base_commit } = await readWork(await openWorktree(locateWorktree(deps, about).where, options))
  return base_commit
}
