import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import type { Log } from "@switchyard/core/log/log"
import type { createMutex } from "@switchyard/core/mutex"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Clock } from "@switchyard/core/time"
import type { Git } from "../git/plumbing/git.ts"
import type { KnownRepositories } from "../git/plumbing/repository.ts"
import type { RemoteDeps } from "../git/remote/remotes.ts"
import type { Seen } from "../git/worktrees/workspace-changes.ts"
import type { ConfineGit } from "../sandbox/git-sandbox.ts"
import type { BackgroundTask } from "./background-task.ts"
import type { Hiding } from "./hiding.ts"
import type { Notices } from "./notices.ts"
import type { Preparation } from "./setup/preparation.ts"

/** One worktree of a session's project, and what this machine knows of it. */
export interface ProjectDeps {
  /** The worktree's name. */
  worktree: string
  git: Git
  /** For repositories of this machine, as the user that they belong to. */
  machineGit: Git
  /** Has git work on what agents can have changed in their sandbox; absent if they have none. */
  confineGit?: ConfineGit | undefined
  clock: Clock
  log: Log
  blobs: Blobs
  /** Holds the repositories and worktrees of this machine. */
  folder: string
  /** Holds the runner's own records of them, out of reach for agents. */
  notes: string
  /** Holds the locks and journals of this machine's own repositories, out of reach for agents, too. */
  journals: string
  /** Retention of the session, and so of kept work. */
  retentionMs?: number | undefined
  /** Whether agents may work in repositories of this machine. */
  local: boolean
  /** The means by which git reaches the repository of the session's incarnation. */
  remotes: (incarnation: number) => RemoteDeps
  notices: Notices
  seen: Seen
  repositories: KnownRepositories
  /** Files that could not be taken into the session's files at the last comparison, by worktree. Filled by `unsavedChanges`. */
  leftOut: Map<string, SkippedFile[]>
  /** Saves what takes too long to be waited for. */
  background: BackgroundTask
  /** Hides files from programs while they work. */
  hiding: Hiding
  /** Makes worktrees ready to work in; absent where nothing but git is wanted. */
  preparation?: Preparation
  /** Serialises making and restoring what isn't on this disk. */
  opening: ReturnType<typeof createMutex>
}

/** Whether the worktree's files are the session's: those of any other are its own until it is merged. */
export function hasWorkspace({ worktree }: Pick<ProjectDeps, "worktree">): boolean {
  return worktree === MAIN_WORKTREE
}
