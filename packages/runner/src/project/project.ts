import type { ProjectNotes } from "@switchyard/core/agents/conversations/prompt"
import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { PinBase, StagedFiles, WorktreeLook, Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import type { SessionState } from "@switchyard/core/state"
import { openWorktree } from "../git/worktrees/open-worktree.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import { deletionEvents } from "./deletions.ts"
import { documentsIn } from "./documents.ts"
import { type OpenRequest, openWorktrees, syncWorktree, takeInFiles } from "./open-worktrees.ts"
import { hasWorkspace, type ProjectDeps } from "./project-deps.ts"
import { filesOf, manyUnsaved, type Unsaved, unsavedChanges } from "./unsaved-changes.ts"
import { locateWorktree } from "./worktree-location.ts"

/** Folder where an agent works, with functions that save the agent's work in the session. */
export interface Project {
  cwd: string
  notes: ProjectNotes
  worktrees: Worktrees
  repository: { folder: string; commonDir: string; isOwn: boolean }
  worktree: Worktree
  /** Events about changes that were made to the worktree before the task started. */
  events: NewEvent[]
  /**
   * Commits the work to the worktree's branch, and returns the files that git refuses. For the main worktree, also
   * returns the resulting changes to the session's files. If there are many changes, returns only their number; they
   * are saved after the task.
   */
  save(
    message: string,
    state: SessionState,
    options: { look?: WorktreeLook | undefined; signal: AbortSignal },
  ): Promise<Pick<StagedFiles, "refused" | "committed"> & (Unsaved | { later: number })>
}

/** Branch or commit that a new worktree starts from. */
interface StartOfWork {
  baseBranch?: string | undefined
  branch?: string | undefined
  pinBase?: PinBase | undefined
  /** Files that agents in the worktree should read first, if they exist. */
  documents?: string[] | undefined
}

/**
 * Opens the session's worktree, and creates it if necessary. If the session has no repository, the worktree contains
 * its workspace's files.
 */
export async function openProject(
  deps: ProjectDeps,
  { baseBranch, branch, pinBase, documents, ...about }: OpenRequest & StartOfWork,
  options: { signal: AbortSignal },
): Promise<Project> {
  const { state } = about
  const worktrees = await openWorktrees(deps, about, options)
  const { path } = await worktrees.open({ base_branch: baseBranch, branch }, { ...options, pinBase })
  if (about.repository === null) await syncWorktree(deps, about, path, options)
  else if (hasWorkspace(deps)) await takeInFiles(deps, about, path, options)
  const { own, where } = locateWorktree(deps, about)
  const worktree = await openWorktree(where, options)
  return {
    cwd: path,
    notes: {
      documents: await documentsIn(where.git.files, path, documents),
      warnings: deps.notices.forAgents(),
      checks: [],
      screenshots: [],
    },
    worktrees,
    repository: { ...worktree.repository, isOwn: own },
    worktree,
    events: about.repository === null ? deletionEvents({ state, worktree: deps.worktree }, undefined) : [],
    async save(message, now, { look, signal }) {
      const opened = await openWorktrees(deps, { ...about, state: now }, { signal })
      let staged: StagedFiles | undefined
      const onStaged = (files: StagedFiles) => {
        staged = files
      }
      // If conflicts remain, the agent or a person resolves them later.
      await opened.commit(message, { look, signal, onStaged }).catch(unlessUnresolved)
      const { refused, differing, committed } = staged ?? { refused: [] }
      deps.refused.set(path, refused)
      await deps.background.stop()
      if (!hasWorkspace(deps)) return { ...NOTHING, refused, committed }
      // The session's own files are compared with their last version, not with the base.
      const known = about.repository === null ? undefined : differing
      const paths = known ?? (await filesOf(deps, { ...about, path, state: now }, { signal }))
      const later = await manyUnsaved(deps, { ...about, path, paths, state: now })
      if (later !== undefined) return { later, refused, committed }
      const query = { ...about, path, paths, state: now, isCommitted: staged !== undefined }
      return { ...(await unsavedChanges(deps, query, { signal })), refused, committed }
    },
  }
}

function unlessUnresolved(error: unknown): void {
  if (!isAppError(error, "worktree_conflict")) throw error
}

/** Result for all worktrees except the main one. Their work reaches the session's files only by a merge. */
const NOTHING: Unsaved = { changes: [], leftOut: [], events: [], conflicts: [], rest: 0 }
