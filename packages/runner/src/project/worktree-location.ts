import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import { isTaskBranch, taskBranch, worktreeSlug } from "@switchyard/core/files/worktrees/names"
import { parseRemote } from "@switchyard/core/files/worktrees/remote"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { SessionState } from "@switchyard/core/state"
import { describeFailed, withoutFailingPrograms } from "../git/plumbing/without-programs.ts"
import { reachRemote } from "../git/remote/remotes.ts"
import { baseOnFiles } from "../git/worktrees/base-commit.ts"
import { openWorktree, type WorktreesDeps } from "../git/worktrees/open-worktree.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import type { ProjectTools } from "../programs/project-tools.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { readMark } from "./save-record.ts"
import { findPrepared } from "./setup/prepare-worktree.ts"
import { clearSyncedVersion, readSyncedVersion, toImportedFiles, writeSyncedVersion } from "./sync-files.ts"

/** A worktree of a session. `repository` is null if the worktree belongs to the session's own workspace. */
export interface WorktreeOf {
  sid: string
  repository: string | null
  state: SessionState
}

/** Locates the session's worktree and repository on this disk. Neither needs to exist. */
export function locateWorktree(
  deps: ProjectDeps,
  { sid, repository: named, state }: WorktreeOf,
): { where: WorktreesDeps; own: boolean; notes: string; repositoryNotes: string } {
  const { clock } = deps
  const home = join(deps.folder, sid, String(state.session.incarnation))
  const remote = named === null ? null : parseRemote(named, { local: deps.local })
  const own = !remote?.url.startsWith("/")
  const repository = remote === null ? join(home, "workspace") : own ? join(home, "clone") : remote.url
  // Worktrees of a session's own repository keep their names if the data folder moves. Those of the first versions
  // were named after the repository's full path.
  const former = nameAfter(repository)
  const hash = own && !existsSync(join(home, "work", former)) ? nameAfter(relative(deps.folder, repository)) : former
  const slug = worktreeSlug(deps.worktree)
  const suffix = slug && `-${slug}`
  const name = `${hash}${suffix}`
  const repositoryNotes = join(deps.notes, `${state.session.incarnation}-${hash}`)
  const notes = `${repositoryNotes}${suffix}`
  const plain = {
    git: own ? deps.git : deps.machineGit,
    clock,
    session: sid,
    name: deps.worktree,
    keptForMs: deps.retentionMs,
    repository,
    isClone: own && remote !== null,
    isOwn: own,
    folder: join(home, "work", name),
    notes,
    // Use the same journals as the runners of other sessions, because these may be working in the same repository on
    // this machine.
    journals: own ? `${repositoryNotes}.journals` : deps.journals,
    // An existing branch keeps its name. The name of a branch that was taken over is in the worktree's own record.
    branch: ownBranchOf(state, deps.worktree) ?? taskBranch(sid, deps.worktree, state.session.title ?? ""),
    known: deps.knownGit,
    reach: remote && own ? reachRemote(deps.remotes(state.session.incarnation), remote) : undefined,
  }
  const owner = { worktree: deps.worktree, repository: own ? ("own" as const) : ("machine" as const) }
  const locate = (options: { signal: AbortSignal }) => openWorktree(plain, options)
  const confined = deps.confineGit?.(plain.git, locate, owner) ?? plain.git
  const git = withoutFailingPrograms(confined, (failed) => deps.notices.add(describeFailed(failed), { forAgent: true }))
  const where = { ...plain, git }
  if (named !== null) return { where, own, notes, repositoryNotes }
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const begin: WorktreesDeps["begin"] = async (worktree, options) => {
    await clearSyncedVersion(notes)
    const { files } = await store.readManifest(state.workspace.manifest, options)
    await baseOnFiles(worktree, toImportedFiles(store, files), options)
  }
  return { where: { ...where, begin }, own, notes, repositoryNotes }
}

function nameAfter(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 12)
}

/**
 * Returns the path of the file that records which files are hidden from programs in a worktree. `notes` is the prefix
 * of the worktree's records.
 */
export function hiddenNote(notes: string): string {
  return `${notes}.hidden.json`
}

function ownBranchOf(state: SessionState, worktree: string): string | undefined {
  const { branch } = worktreeOf(state, worktree)
  return branch !== null && isTaskBranch(branch) ? branch : undefined
}

/**
 * Returns the session's worktree if it has been opened on this machine, and whether the whole repository belongs to the
 * session.
 */
export async function openedWorktree(
  deps: ProjectDeps,
  about: WorktreeOf,
  options: { signal: AbortSignal },
): Promise<{ worktree: Worktree; own: boolean; notes: string } | undefined> {
  const { where, own, notes } = locateWorktree(deps, about)
  if (!(await where.git.files.exists(where.repository)) || !(await readMark(notes))) return undefined
  return { worktree: await openWorktree(where, options), own, notes }
}

/**
 * Returns the tools that the session's worktree was prepared with, even if the worktree isn't on this machine. Installs
 * them if they are missing. Throws `setup_failed` if that fails.
 */
export async function findTools(
  deps: ProjectDeps,
  { sid, state }: Omit<WorktreeOf, "repository">,
  options: { signal: AbortSignal },
): Promise<ProjectTools | undefined> {
  const { notes, own } = locateWorktree(deps, { sid, repository: state.session.repository, state })
  const { tools, lastRun } = worktreeOf(state, deps.worktree)
  // Logs of older runners don't name the tools.
  if (!tools) return (await findPrepared(notes))?.installed
  const run = { runId: lastRun?.runId, incarnation: state.session.incarnation }
  return deps.preparation?.findTools({ worktree: deps.worktree, isOwn: own, tools, ...run }, options)
}

/** Returns the repository that the session's worktree starts from, if that repository is on this machine. */
export async function presentRepository(
  deps: ProjectDeps,
  about: WorktreeOf,
  options: { signal: AbortSignal },
): Promise<Pick<Worktree, "git" | "known" | "repository"> | undefined> {
  const { where } = locateWorktree(deps, about)
  return (await where.git.files.exists(where.repository)) ? openWorktree(where, options) : undefined
}

/**
 * Records that the worktree is in sync after its changes were committed. If the session's files were changed by other
 * commits since, records the earlier version, because the changes of those commits must still reach the worktree.
 */
export async function recordSynced(
  deps: ProjectDeps,
  about: WorktreeOf,
  { before, after }: { before: SessionState["workspace"]; after: SessionState["workspace"] },
): Promise<void> {
  const { notes } = locateWorktree(deps, about)
  const level = await readSyncedVersion(notes)
  if (level !== undefined && level !== before.manifest) return
  const synced = after.version <= before.version + 1 ? after : before
  await writeSyncedVersion(notes, synced.manifest)
}
