import { isReadOnly } from "@switchyard/core/agents/permissions/repository-rules"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"
import type { MergeResult } from "@switchyard/core/files/worktrees/merge-schema"
import { parseRemote } from "@switchyard/core/files/worktrees/remote"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import { createWorktrees } from "../git/git-worktrees.ts"
import { toText } from "../git/plumbing/git-path.ts"
import { treePaths } from "../git/plumbing/tree-changes.ts"
import { clone, initRepository } from "../git/remote/clone.ts"
import { reachDirectly } from "../git/remote/remotes.ts"
import { damageOf, repairWork } from "../git/saves/repair.ts"
import { moveBase } from "../git/worktrees/base-commit.ts"
import { openWorktree, type WorktreesDeps } from "../git/worktrees/open-worktree.ts"
import { readRules, rulesCommit } from "../git/worktrees/repository-rules.ts"
import { findUnresolved } from "../git/worktrees/unresolved.ts"
import { noteOrigin, readWork, type Worktree } from "../git/worktrees/worktree-record.ts"
import { agentSettings, carrySettings } from "../sandbox/settings-guard.ts"
import { listed } from "./listed.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { notRestored, repairEvents } from "./repair-events.ts"
import { fetchSave, removeNotes, restoreSave } from "./save-record.ts"
import { clearSyncedVersion, readSyncedVersion, syncFiles, toImportedFiles, writeSyncedVersion } from "./sync-files.ts"
import { hiddenNote, locateWorktree, type WorktreeOf } from "./worktree-location.ts"

export interface OpenRequest extends WorktreeOf {
  /**
   * Action for a damaged worktree; by default, it is repaired. Use `refuse` while an agent works in the worktree.
   */
  damaged?: "repair" | "refuse" | "ignore"
  /** Appends repair events to the log. */
  append: (events: NewEvent[]) => Promise<unknown>
}

/**
 * Opens the session's worktree of the repository. The worktree needn't exist. Restores saved work that isn't on this
 * disk.
 */
export async function openWorktrees(
  deps: ProjectDeps,
  about: OpenRequest,
  options: { signal: AbortSignal },
): Promise<Worktrees> {
  const where = await deps.opening(async () => {
    const { sid, repository, state } = about
    const { where, own, notes, repositoryNotes } = locateWorktree(deps, about)
    await deps.hiding.recover({ files: where.git.files, git: where.git }, hiddenNote(notes))
    if (own && !(await deps.git.files.exists(where.repository))) await removeNotes(repositoryNotes)
    await makeRepository(deps, about, { where, own }, options)
    const worktree = await openWorktree(where, options)
    const { savedSeq } = worktreeOf(state, deps.worktree)
    const missing = await restoreSave(deps, worktree, { sid, savedSeq, repository, own, notes }, options)
    if (missing.length > 0) deps.notices.add(notRestored(missing))
    await noteOrigin(worktree)
    if (about.damaged !== "ignore") await repairDamage(deps, about, worktree, options)
    return where
  })
  const { preparation, worktree: name } = deps
  const beforeRemoval: WorktreesDeps["beforeRemoval"] = (worktree, removing) =>
    preparation?.retire(worktree, { name, append: about.append }, removing) ?? Promise.resolve()
  const made = await createWorktrees({ ...where, beforeRemoval }, options)
  const worktrees = deps.confineGit ? carryAtMerge(where, made) : made
  return about.repository === null ? trackSyncedVersion(deps, about, worktrees) : worktrees
}

/** Repairs a worktree that an agent has damaged. Committed and saved work is never lost. */
async function repairDamage(
  deps: ProjectDeps,
  about: OpenRequest,
  worktree: Worktree,
  options: { signal: AbortSignal },
): Promise<void> {
  const damage = await damageOf(worktree, options)
  if (!damage) return
  if (about.damaged === "refuse") {
    const message = "The agent has damaged its worktree. It will be repaired when the agent has finished."
    throw new AppError("worktree_damaged", message, { damage })
  }
  const { sid, repository, state } = about
  const { notes } = locateWorktree(deps, about)
  const last = { sid, savedSeq: worktreeOf(state, deps.worktree).savedSeq, repository, notes }
  const saved = await fetchSave(deps, worktree, last, options).catch((error) => {
    // The branch may contain all of the work. If it doesn't, the loss is reported later.
    if (isAppError(error, "worktree_damaged")) return undefined
    throw error
  })
  const repaired = await repairWork(worktree, damage, saved?.tip ?? null, options)
  if (repository === null && damage === "folder_missing") {
    if (saved?.level !== undefined && repaired.from === "save") await writeSyncedVersion(notes, saved.level)
    await syncWorktree(deps, about, worktree.tree, options, true)
  }
  await about.append(repairEvents(deps.worktree, repaired))
}

/** Copies agents' settings into the repository after a merge, unless they start programs. */
function carryAtMerge(where: WorktreesDeps, worktrees: Worktrees): Worktrees {
  async function merging(task: () => Promise<MergeResult>, options: { signal: AbortSignal }): Promise<MergeResult> {
    const worktree = await openWorktree(where, options)
    // Read the settings before the merge, because the merge may remove them together with the worktree.
    const settings = await agentSettings(worktree, options)
    const result = await task()
    if (result.status === "merged") await carrySettings(worktree, settings, options)
    return result
  }
  return {
    ...worktrees,
    merge: (request, options) => merging(() => worktrees.merge(request, options), options),
    resolve: (request, options) => merging(() => worktrees.resolve(request, options), options),
    complete: (request, options) => merging(() => worktrees.complete(request, options), options),
  }
}

/** Records the version of the session's files that a worktree was last in sync with. */
function trackSyncedVersion(deps: ProjectDeps, about: OpenRequest, worktrees: Worktrees): Worktrees {
  const { notes } = locateWorktree(deps, about)
  async function noting<T extends { created: boolean }>(creating: Promise<T>): Promise<T> {
    const made = await creating
    if (made.created) await writeSyncedVersion(notes, about.state.workspace.manifest)
    return made
  }
  return {
    ...worktrees,
    create: (request, options) => noting(worktrees.create(request, options)),
    open: (request, options) => noting(worktrees.open(request, options)),
    async remove(request, options) {
      const deleted = await worktrees.remove(request, options)
      await clearSyncedVersion(notes)
      return deleted
    },
  }
}

/**
 * Updates the worktree with changes that were made to the session's files elsewhere. Also restores files that were lost
 * with the folder, and files whose deletion hasn't been confirmed. The update is skipped while there are unresolved
 * conflicts.
 */
export async function syncWorktree(
  deps: ProjectDeps,
  about: OpenRequest,
  path: string,
  options: { signal: AbortSignal },
  isLost = false,
): Promise<void> {
  const { sid, state } = about
  const { where, notes } = locateWorktree(deps, about)
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const { manifest } = state.workspace
  const again = isLost || worktreeOf(state, deps.worktree).heldDeletions !== null
  const level = await readSyncedVersion(notes)
  if (level === manifest && !again) return
  const worktree = await openWorktree(where, options)
  // Don't move the base, because moving it would erase git's record of the conflicts. Once the conflicts are resolved,
  // the next task receives the changes.
  if (!isLost && (await findUnresolved(worktree, options))) return
  const { files, deleted } = await syncFiles(deps.git.files, path, { manifest, level, store, again }, options)
  await moveBase(worktree, { files: toImportedFiles(store, files), deleted }, options)
  await writeSyncedVersion(notes, manifest)
}

/**
 * Writes changes that other people made to the session's files to a repository's worktree. Such changes come from a
 * build, the editor or an upload. They become part of the work, so a merge includes them. While there are unresolved
 * conflicts, they are delayed.
 */
export async function takeInFiles(
  deps: ProjectDeps,
  about: WorktreeOf,
  path: string,
  options: { signal: AbortSignal },
): Promise<void> {
  const { sid, state } = about
  const { where, notes } = locateWorktree(deps, about)
  const { manifest } = state.workspace
  // The first worktree receives all files. A later worktree continues with the synced version of the previous one.
  const known = await readSyncedVersion(notes)
  const level = known ?? null
  if (level === manifest) return known === undefined ? writeSyncedVersion(notes, manifest) : undefined
  const worktree = await openWorktree(where, options)
  if (await findUnresolved(worktree, options)) return
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  // After a merge, a file may be missing in the session's files because it is now in the repository, so don't delete
  // it.
  const { base_commit } = await readWork(worktree)
  const inBase = new Set<string>((await treePaths(worktree.git, path, base_commit, options)).map(toText))
  const rules = (await readRules(worktree, await rulesCommit(worktree), options))?.rules
  const mayWrite = (file: WorkspacePath) => !rules || !isReadOnly(rules, file)
  const mayDelete = (file: WorkspacePath) => !inBase.has(file)
  const synced = { manifest, level, store, again: false, mayDelete, mayWrite }
  const { files } = await syncFiles(deps.git.files, path, synced, options)
  const refused = files.map((file) => file.path).filter((file) => !mayWrite(file))
  if (refused.length > 0)
    deps.notices.add(`Not copied to the worktree, because they are read-only: ${listed(refused)}.`)
  await writeSyncedVersion(notes, manifest)
}

async function makeRepository(
  deps: ProjectDeps,
  { repository }: WorktreeOf,
  { where, own }: Pick<ReturnType<typeof locateWorktree>, "where" | "own">,
  options: { signal: AbortSignal },
): Promise<void> {
  if (repository === null) await makeWorkspaceRepository(deps, where.repository, options)
  else if (own) {
    const { url } = parseRemote(repository, { local: deps.local })
    await clone(deps.git, { url, reach: where.reach ?? reachDirectly }, where.repository, options)
  }
}

/**
 * Creates an empty repository, because agents expect a git repository. Its only worktree receives the session's files.
 */
async function makeWorkspaceRepository(
  { git }: ProjectDeps,
  folder: string,
  options: { signal: AbortSignal },
): Promise<void> {
  const { files } = git
  if (await files.exists(folder)) return
  const fresh = `${folder}-${process.pid}`
  await files.remove(fresh)
  await files.makeFolder(fresh)
  await initRepository(git, fresh, options)
  await files.rename(fresh, folder)
}
