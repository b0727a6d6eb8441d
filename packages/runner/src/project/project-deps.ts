import type { createMutex } from "@switchyard/core/concurrency/mutex"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import type { Log } from "@switchyard/core/log/log"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Clock } from "@switchyard/core/time"
import type { Git } from "../git/plumbing/git.ts"
import type { KnownGit } from "../git/plumbing/known-git.ts"
import type { RemoteDeps } from "../git/remote/remotes.ts"
import type { FileCache } from "../git/worktrees/workspace-changes.ts"
import type { ConfineGit } from "../sandbox/git-sandbox.ts"
import type { BackgroundTask } from "./background-task.ts"
import type { Hiding } from "./hiding.ts"
import type { Notices } from "./notices.ts"
import type { Preparation } from "./setup/preparation.ts"

/** A worktree of a session's project, and this machine's records about it. */
export interface ProjectDeps {
  worktree: string
  git: Git
  /** Git for repositories on this machine. Runs as the owner of the repository. */
  machineGit: Git
  /**
   * Confines git when it processes files that agents may have changed in their sandbox. Undefined if there is no
   * sandbox.
   */
  confineGit?: ConfineGit | undefined
  clock: Clock
  log: Log
  blobs: Blobs
  /** Folder that contains this machine's repositories and worktrees. */
  folder: string
  /** Folder for the runner's own records about these repositories and worktrees. Agents can't access it. */
  notes: string
  /** Folder for locks and journals of repositories that belong to people on this machine. Agents can't access it. */
  journals: string
  /** Retention of the session, which also applies to kept work. */
  retentionMs?: number | undefined
  /** True if agents may work in people's own repositories on this machine. */
  local: boolean
  /** Returns the access to the session's repository, for one incarnation of the session. */
  remotes: (incarnation: number) => RemoteDeps
  notices: Notices
  seen: FileCache
  knownGit: KnownGit
  /** Files that the last comparison left out of the session's files, per worktree. `unsavedChanges` fills the map. */
  leftOut: Map<string, SkippedFile[]>
  /** Files that git refused in the last commit, per worktree. A project's `save` fills the map. */
  refused: Map<string, SkippedFile[]>
  /** Background task that saves work if waiting for it would take too long. */
  background: BackgroundTask
  /** Hides files from programs while they run. */
  hiding: Hiding
  /** Prepares worktrees. Undefined if only git is needed. */
  preparation?: Preparation
  /** Mutex that lets only one repository or worktree at a time be created or restored on this disk. */
  opening: ReturnType<typeof createMutex>
}

/**
 * True if the worktree's files are the session's files. Files of other worktrees reach the session's files only by a
 * merge.
 */
export function hasWorkspace({ worktree }: Pick<ProjectDeps, "worktree">): boolean {
  return worktree === MAIN_WORKTREE
}
