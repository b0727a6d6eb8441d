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

/** Resolves to the commit with which a worktree begins, given the one that its branch is at. */
export type PinBase = (commit: string) => Promise<string>

/** The command that is executed, so that it can be answered if this process dies. */
export interface CommandOptions extends Options {
  commandId?: string
  /**
   * Called with the answer once a merge is made, before anything is removed that proves it, or once a worktree is gone.
   * `commandId` is the command that this was done for: another one, where a merge was interrupted.
   */
  onMade?: (answer: MergeResult | Deleted, commandId: string | undefined) => Promise<void>
}

/**
 * The worktree of one session, in which its agents work, and the way from there into a branch. Reading works without one;
 * everything else throws `worktree_not_found` where there is none. An operation that the current state doesn't allow throws
 * `worktree_conflict`, one that another holder blocks throws `worktree_busy`.
 */
export interface Worktrees {
  /** Makes the worktree on a branch of its own. An existing one is left as it is, or removed first with `reset`. */
  create(
    request: CreateWorktree & { reset?: boolean },
    options: Options & { pinBase?: PinBase | undefined },
  ): Promise<CreatedWorktree>
  status(options: Options): Promise<WorktreeStatus>
  diff(query: DiffQuery, options: Options): Promise<DiffSummary>
  fullDiff(query: DiffQuery, options: Options): Promise<FullDiff>
  /** Throws `branch_not_found` for a name that git doesn't know. */
  review(query: ReviewQuery, options: Options): Promise<ReviewDiff>
  branches(options: Options): Promise<Branches>
  /** The paths of its files; where there is none yet, of those that it would begin with. */
  files(query: FilesQuery, options: Options): Promise<WorktreeFiles>
  /** Commits all changes of a turn, untracked files too. Null if there are none. */
  commit(message: string, options: Options): Promise<string | null>
  /**
   * Merges the work into a branch, all of it or nothing. Where that branch is checked out, the checkout is updated if the
   * files that the merge touches are clean there; else it throws `merge_blocked`, and `details.files` names them. A
   * requested hook that refuses throws `commit_refused`. If the worktree was deleted with its merge, the same request has the
   * same answer again.
   */
  merge(request: MergeRequest, options: CommandOptions): Promise<MergeResult>
  /** Merges the target branch into the work. */
  update(request: UpdateRequest, options: CommandOptions): Promise<MergeResult>
  /** Throws `worktree_conflict` where no merge waits. */
  conflicts(options: Options): Promise<Conflicts>
  /** One of them with its whole texts. */
  conflict(path: string, options: Options): Promise<ConflictFile>
  resolve(request: ResolveRequest, options: CommandOptions): Promise<MergeResult>
  /** Makes the merge once nothing is left to resolve. */
  complete(request: CompleteRequest, options: CommandOptions): Promise<MergeResult>
  /** Merges a branch into the worktree's own files, and leaves the conflicts there for an agent. Resolves to their files. */
  mergeForAgent(branch: string, options: Options): Promise<string[]>
  abort(options: Options): Promise<MergeResult>
  /**
   * Moves the target branch back to where it was before the last merge, if it still stands at that merge and no remote is known
   * to have it; else throws `worktree_conflict`. Its checkout is treated as in `merge`. Undoing it again changes nothing.
   */
  undo(request: UndoRequest, options: Options): Promise<MergeResult>
  /** Takes the work back to where it began. What is ignored stays. */
  reset(options: Options): Promise<Reset>
  /**
   * Removes the worktree and its branch, and keeps what exists nowhere else under a ref of the repository. Throws
   * `worktree_conflict` if that is more than 500 MB, unless it is to be discarded.
   */
  remove(request: DeleteRequest, options: CommandOptions): Promise<Deleted>
  push(request: PushRequest, options: Options): Promise<PushResult>
  /**
   * Repairs what a process that died left half done. Resolves to the answer of its command, if that was executed or got as
   * far as its conflicts.
   */
  recover(command: WorktreeChange, options: CommandOptions & { commandId: string }): Promise<WorktreeAnswer | undefined>
}

/** Executes a command. */
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

/** Executes a query. */
export function runQuery(
  worktrees: Worktrees,
  query: GitQuery,
  options: { signal: AbortSignal },
): Promise<WorktreeStatus | Branches | WorktreeFiles | DiffSummary | FullDiff | ReviewDiff | Conflicts | ConflictFile> {
  switch (query.question) {
    case "status":
      return worktrees.status(options)
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
