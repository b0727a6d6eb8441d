import type { WorktreeAnswer, WorktreeChange, WorktreeQuery } from "./command-schema.ts"
import type { ConflictFile, Conflicts } from "./conflict-schema.ts"
import type { DiffQuery, DiffSummary, FullDiff } from "./diff-schema.ts"
import type {
  Branches,
  CompleteRequest,
  ConflictFile,
  Conflicts,
  CreatedWorktree,
  CreateWorktree,
  Deleted,
  DiffQuery,
  DiffSummary,
  FullDiff,
  MergeRequest,
  MergeResult,
  PushRequest,
  PushResult,
  Reset,
  ResolveRequest,
  UpdateRequest,
} from "./merge-schema.ts"
import type { Branches, CreatedWorktree, CreateWorktree, Deleted, Reset, WorktreeStatus } from "./schema.ts"

interface Options {
  signal: AbortSignal
}

/** The command on whose behalf something is done, so that it can be answered should this process die. */
export interface CommandOptions extends Options {
  commandId?: string
  /**
   * Called with the answer once a merge is made, before anything is removed that proves it, or once a worktree is gone.
   * `commandId` is the command that this was done for: another one, where a merge was interrupted.
   */
  onMade?: (answer: MergeResult | Deleted, commandId: string | undefined) => Promise<void>
}

/**
 * The worktree of one session: where its agents work, and the way from there into a branch. Reading works without one;
 * everything else throws `worktree_not_found` where there is none. What can't be done as things stand is
 * `worktree_conflict`, what somebody else holds is `worktree_busy`.
 */
export interface Worktrees {
  /** Makes the worktree on a branch of its own. One that is there stays as it is, unless `reset` says that it goes first. */
  create(request: CreateWorktree & { reset?: boolean }, options: Options): Promise<CreatedWorktree>
  status(options: Options): Promise<WorktreeStatus>
  diff(query: DiffQuery, options: Options): Promise<DiffSummary>
  fullDiff(query: DiffQuery, options: Options): Promise<FullDiff>
  branches(options: Options): Promise<Branches>
  /** Commits everything that a turn left, untracked files too. Null if that is nothing. */
  commit(message: string, options: Options): Promise<string | null>
  /**
   * Merges the work into a branch, all of it or nothing. Where that branch is checked out, the checkout comes along if the
   * files that the merge touches are clean there; else it throws `merge_blocked`, and `details.files` names them. A hook
   * that was asked for and refuses throws `commit_refused`.
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
  abort(options: Options): Promise<MergeResult>
  /** Takes the work back to where it began. What is ignored stays. */
  reset(options: Options): Promise<Reset>
  remove(options: CommandOptions): Promise<Deleted>
  push(request: PushRequest, options: Options): Promise<PushResult>
  /**
   * Puts right what a process that died left half done. Resolves to what came of its command, if that was carried out or
   * got as far as its conflicts.
   */
  recover(command: WorktreeChange, options: CommandOptions & { commandId: string }): Promise<WorktreeAnswer | undefined>
}

/** Carries a command out. */
export function perform(
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
    case "reset":
      return worktrees.reset(options)
    case "delete":
      return worktrees.remove(options)
    case "push":
      return worktrees.push(command, options)
  }
}

/** Answers a question. */
export function ask(
  worktrees: Worktrees,
  question: WorktreeQuestion,
  options: { signal: AbortSignal },
): Promise<WorktreeStatus | Branches | DiffSummary | FullDiff | Conflicts | ConflictFile> {
  switch (question.question) {
    case "status":
      return worktrees.status(options)
    case "branches":
      return worktrees.branches(options)
    case "diff":
      return worktrees.diff(question, options)
    case "full_diff":
      return worktrees.fullDiff(question, options)
    case "conflicts":
      return worktrees.conflicts(options)
    case "conflict":
      return worktrees.conflict(question.path, options)
  }
}
