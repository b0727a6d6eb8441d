import type { createMutex } from "@switchyard/core/concurrency/mutex"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import type { Log } from "@switchyard/core/log/log"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Clock } from "@switchyard/core/time"
import type { Git } from "../git/plumbing/git.ts"
import type { KnownRepositories } from "../git/plumbing/repository.ts"
import type { RemoteDeps } from "../git/remote/remotes.ts"
import type { FileCache } from "../git/worktrees/workspace-changes.ts"
import type { ConfineGit } from "../sandbox/git-sandbox.ts"
import type { BackgroundTask } from "./background-task.ts"
import type { Hiding } from "./hiding.ts"
import type { Notices } from "./notices.ts"
import type { Preparation } from "./setup/preparation.ts"

/** A worktree of a session's project, and this machine's records of it. */
export interface ProjectDeps {
  worktree: string
  git: Git
  /** Git for the repositories on this machine, running as their owner. */
  machineGit: Git
  /**
   * Confines git when it handles files that agents may have changed in their sandbox. Absent if there is no sandbox.
   */
  confineGit?: ConfineGit | undefined
  clock: Clock
  log: Log
  blobs: Blobs
  /** Folder of this machine's repositories and worktrees. */
  folder: string
  /** Folder of the runner's own records about these repositories and worktrees, inaccessible to agents. */
  notes: string
  /** Folder of locks and journals for this machine's own repositories, inaccessible to agents. */
  journals: string
  /** Retention of the session. It also applies to kept work. */
  retentionMs?: number | undefined
  /** True if agents may work in repositories on this machine. */
  local: boolean
  /** Returns access to the repository of an incarnation of the session. */
  remotes: (incarnation: number) => RemoteDeps
  notices: Notices
  seen: FileCache
  repositories: KnownRepositories
  /** Files omitted from the session's files by the last comparison, per worktree. Filled by `unsavedChanges`. */
  leftOut: Map<string, SkippedFile[]>
  /** Files that git refused in the last commit, per worktree. Filled by a project's `save`. */
  refused: Map<string, SkippedFile[]>
  /** Background task that saves work if it would take too long to wait for. */
  background: BackgroundTask
  /** Hides files from programs while they run. */
  hiding: Hiding
  /** Prepares worktrees. Absent if only git is needed. */
  preparation?: Preparation
  /** Ensures that only one repository or worktree at a time is created or restored on this disk. */
  opening: ReturnType<typeof createMutex>
}

/**
 * True if the worktree's files are the session's files. Other worktrees' files become the session's only by a merge.
 */
export function hasWorkspace({ worktree }: Pick<ProjectDeps, "worktree">): boolean {
  return worktree === MAIN_WORKTREE
}
