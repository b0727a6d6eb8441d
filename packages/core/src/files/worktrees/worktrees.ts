import type { SkippedFile } from "./checkpoint-schema.ts"
import type { GitQuery, WorktreeAnswer, WorktreeChange } from "./command-schema.ts"
import type { ConflictFile, Conflicts } from "./conflict-schema.ts"
import type { DiffQuery, DiffSummary, FullDiff, ReviewDiff, ReviewQuery } from "./diff-schema.ts"
import type { FilesQuery, WorktreeFiles } from "./files-schema.ts"
import type {
  CompleteRequest,
  MergeRequest,
  MergeResult,
  PushRequest,
  PushResult,
  ResolveRequest,
  UndoRequest,
  UpdateRequest,
} from "./merge-schema.ts"
import type { RawEntry } from "./raw-diff.ts"
import type {
  Branches,
  CreatedWorktree,
  CreateWorktree,
  Deleted,
  DeleteRequest,
  Reset,
  WorktreeStatus,
} from "./schema.ts"

interface Options {
  signal: AbortSignal
}

/** Returns the commit on which a worktree is based, given the commit of its branch. */
export type PinBase = (commit: string) => Promise<string>

/** Files of a worktree when they were staged for a commit. */
export interface StagedFiles {
  /** Files that git refuses. */
  refused: SkippedFile[]
  /** Byte paths of all files that differ from the work's base, except deleted files. Undefined if they aren't known. */
  differing?: string[] | undefined
  committed?: CommittedFiles | undefined
}

/** State of a worktree before a commit. */
export interface WorktreeLook {
  /** True if the index has no unmerged entries. */
  isMerged: boolean
  /** True if the index contains versions of files that are neither in HEAD nor on disk. */
  isStaged: boolean
  /** Checked-out commit. Null on a branch without a commit. */
  head: string | null
  /** Ref that HEAD points to: "HEAD" if HEAD is detached, null if it isn't known. */
  ref: string | null
  /** Byte paths of what git ignores. */
  ignored: string[]
  /** True if the commit and the index are still the same. */
  isCurrent(): Promise<boolean>
}

/**
 * A worktree right after a commit of all its files, if it contains only ordinary files. The other steps at the end of a
 * turn use it instead of looking at the worktree again.
 */
export interface CommittedFiles {
  head: string
  tree: string
  base: string
  /** Differences between the base and the tree. */
  changes: RawEntry[]
  /** Byte paths of the files, and of what git ignores. */
  paths: string[]
  ignored: string[]
}

/** Options for a command. They include its ID, so that the command can be answered even if this process dies. */
export interface CommandOptions extends Options {
  commandId?: string
  /**
   * Called with the answer once a merge is made but before its traces are removed, or once a worktree has been deleted.
   * `commandId` is the command that caused this. For an interrupted merge, this is an earlier command.
   */
  onMade?: (answer: MergeResult | Deleted, commandId: string | undefined) => Promise<void>
}

export interface Glance {
  /** Text that changes whenever the overview may have changed. */
  stamp: string
  /** The worktree's folder. Null if there is no worktree. */
  path: string | null
  /** Folders that git ignores, relative to `path`. */
  ignored: string[]
}

/** A worktree's status, the branches of its repository, and the work's diff. */
export interface Overview {
  status: WorktreeStatus
  branches: Branches
  diff: FullDiff | null
}

/**
 * Operations on the worktree in which a session's agents work, and on its merges into a branch. Methods that only read
 * don't need a worktree. Other methods throw `worktree_not_found` if there is no worktree, `worktree_conflict` if the
 * current state doesn't allow an operation, and `worktree_busy` while the worktree is in use.
 */
export interface Worktrees {
  /**
   * Creates the worktree on a new branch. An existing worktree is kept unless `reset` is set, in which case it is
   * removed first.
   */
  create(
    request: CreateWorktree & { reset?: boolean },
    options: Options & { pinBase?: PinBase | undefined },
  ): Promise<CreatedWorktree>
  /** Returns the worktree's folder. Creates the worktree like `create` if there is none. */
  open(
    request: CreateWorktree,
    options: Options & { pinBase?: PinBase | undefined },
  ): Promise<{ path: string; created: boolean }>
  status(options: Options): Promise<WorktreeStatus>
  /** Finds out whether the overview may have changed, with a single git process. */
  glance(options: Options): Promise<Glance>
  /** Returns what separate calls would return, with fewer git processes. The diff is null if it isn't wanted. */
  overview(options: Options & { withDiff: boolean; committed?: CommittedFiles | undefined }): Promise<Overview>
  diff(query: DiffQuery, options: Options): Promise<DiffSummary>
  fullDiff(query: DiffQuery, options: Options): Promise<FullDiff>
  /** Returns the changes to review. Throws `branch_not_found` if git doesn't know a name in the query. */
  review(query: ReviewQuery, options: Options): Promise<ReviewDiff>
  branches(options: Options): Promise<Branches>
  /**
   * Returns the paths of the worktree's files. If there is no worktree, returns the files with which a new worktree
   * would start.
   */
  files(query: FilesQuery, options: Options): Promise<WorktreeFiles>
  /**
   * Commits all changes made in a turn, including untracked files, except files that git refuses. Returns null if there
   * are no changes. `onStaged` receives what was staged, once the commit is made. `look` is a look at the worktree since
   * its agent ended.
   */
  commit(
    message: string,
    options: Options & { onStaged?: ((staged: StagedFiles) => void) | undefined; look?: WorktreeLook | undefined },
  ): Promise<string | null>
  /**
   * Merges the work into a branch, either completely or not at all. If that branch is checked out, also updates the
   * checkout, provided that the merged files have no changes there. Otherwise, throws `merge_blocked` with the names of
   * the changed files in `details.files`. Throws `commit_refused` if a requested hook rejects the commit. If the merge
   * deleted the worktree, repeating the request returns the same answer.
   */
  merge(request: MergeRequest, options: CommandOptions): Promise<MergeResult>
  /** Merges the target branch into the work. */
  update(request: UpdateRequest, options: CommandOptions): Promise<MergeResult>
  /** Returns the conflicts of the pending merge. Throws `worktree_conflict` if no merge is pending. */
  conflicts(options: Options): Promise<Conflicts>
  /** Returns one conflict with its complete texts. */
  conflict(path: string, options: Options): Promise<ConflictFile>
  resolve(request: ResolveRequest, options: CommandOptions): Promise<MergeResult>
  /** Completes the merge once all conflicts are resolved. */
  complete(request: CompleteRequest, options: CommandOptions): Promise<MergeResult>
  /**
   * Merges a branch into the worktree's files, and leaves conflicts in the files for an agent to resolve. Returns the
   * files with conflicts.
   */
  mergeForAgent(branch: string, options: Options): Promise<string[]>
  abort(options: Options): Promise<MergeResult>
  /**
   * Resets the target branch to the commit before the last merge. Throws `worktree_conflict` if the branch has newer
   * commits, or if a remote is known to contain the merge. Updates the branch's checkout under the same conditions as
   * `merge`. Idempotent.
   */
  undo(request: UndoRequest, options: Options): Promise<MergeResult>
  /** Resets the work to its starting point. Ignored files are kept. */
  reset(options: Options): Promise<Reset>
  /**
   * Removes the worktree and its branch. Work that exists nowhere else is kept under a ref in the repository, unless
   * the request discards it. Throws `worktree_conflict` if that work is larger than 500 MB.
   */
  remove(request: DeleteRequest, options: CommandOptions): Promise<Deleted>
  push(request: PushRequest, options: Options): Promise<PushResult>
  /**
   * Cleans up after a process that died. If its command was executed or stopped because of conflicts, returns the
   * command's answer.
   */
  recover(command: WorktreeChange, options: CommandOptions & { commandId: string }): Promise<WorktreeAnswer | undefined>
}

export function runCommand(
  worktrees: Worktrees,
  command: WorktreeChange,
  options: CommandOptions,
): Promise<WorktreeAnswer> {
  switch (command.command) {
    case "create":
      return worktrees.create(command, options)
    case "merge":
      return worktrees.merge(command, options)
    case "update":
      return worktrees.update(command, options)
    case "resolve":
      return worktrees.resolve(command.resolution, options)
    case "complete":
      return worktrees.complete(command, options)
    case "abort":
      return worktrees.abort(options)
    case "undo":
      return worktrees.undo(command, options)
    case "reset":
      return worktrees.reset(options)
    case "delete":
      return worktrees.remove(command, options)
    case "push":
      return worktrees.push(command, options)
  }
}

export function runQuery(
  worktrees: Worktrees,
  query: Exclude<GitQuery, { question: "status" }>,
  options: { signal: AbortSignal },
): Promise<Branches | WorktreeFiles | DiffSummary | FullDiff | ReviewDiff | Conflicts | ConflictFile> {
  switch (query.question) {
    case "branches":
      return worktrees.branches(options)
    case "diff":
      return worktrees.diff(query, options)
    case "full_diff":
      return worktrees.fullDiff(query, options)
    case "review":
      return worktrees.review(query, options)
    case "files":
      return worktrees.files(query, options)
    case "conflicts":
      return worktrees.conflicts(options)
    case "conflict":
      return worktrees.conflict(query.path, options)
  }
}
