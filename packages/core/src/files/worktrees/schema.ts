import * as z from "zod"
import { SkippedFile } from "./checkpoint-schema.ts"
import { PendingMerge } from "./conflict-schema.ts"
import { BranchName } from "./names-schema.ts"

/** Deletions in a worktree of so many files that the session keeps the files until a person confirms the deletions. */
export const HeldDeletions = z
  .object({
    count: z.int().positive(),
    /** First twenty paths of the deleted files. */
    paths: z.array(z.string()),
  })
  .meta({ id: "HeldDeletions" })
export type HeldDeletions = z.infer<typeof HeldDeletions>

/** Progress of copying a worktree's files to the session's files. */
export const Saving = z
  .object({ saved: z.int().nonnegative(), total: z.int().nonnegative() })
  .meta({ id: "SaveProgress" })
export type Saving = z.infer<typeof Saving>

/**
 * Reason why git doesn't recognise a worktree: its folder or its `.git` is missing, belongs to another repository, or
 * can't be read.
 */
export const Damage = z.enum(["folder_missing", "git_missing", "git_replaced", "git_broken"])
export type Damage = z.infer<typeof Damage>

/** Conflicts or an unfinished git operation that prevent committing, and thus also merging and pushing. */
export const Unresolved = z
  .object({
    operation: z
      .enum(["merge", "rebase", "am", "cherry_pick", "revert", "bisect"])
      .nullable()
      .describe("Unfinished git operation; null if there are only conflicts"),
    files: z.array(z.string()).describe("Paths of files with conflicts"),
  })
  .meta({ id: "UnresolvedWork" })
export type Unresolved = z.infer<typeof Unresolved>

/** Failure of a later step, although the command itself succeeded. */
export const warning = z.string().optional()

/** Status of a worktree. If `exists` is false, which isn't an error, all other fields are null or empty. */
export const WorktreeStatus = z
  .object({
    exists: z.boolean(),
    path: z.string().nullable(),
    branch: z.string().nullable(),
    base_commit: z.string().nullable(),
    commit: z
      .string()
      .nullable()
      .optional()
      .describe("Newest commit of the work; absent in reports from older runners"),
    /** True if there are changes to merge: commits, changed files or untracked files. */
    has_changes: z.boolean(),
    /** True if some of the changes aren't committed. */
    uncommitted: z.boolean(),
    /** Default target branch for merges. */
    target_branch: z.string().nullable(),
    /** Number of commits on the target branch that the work doesn't contain. */
    behind: z.int().nonnegative().nullable(),
    ahead: z.int().nonnegative().nullable(),
    merge: z.union([PendingMerge, z.null()]),
    unresolved: Unresolved.optional().describe("What prevents committing the work; absent if nothing does"),
    /**
     * First hundred files of the worktree that aren't among the session's files or that git refuses. Absent if there
     * are none.
     */
    left_out: z.array(SkippedFile).optional(),
    /**
     * Files that a task deleted but that the session keeps until the deletion is confirmed. Absent if there are none.
     */
    unconfirmed_deletions: HeldDeletions.optional(),
    /** Progress of copying files to the session's files. Absent if no copy is in progress. */
    saving: Saving.optional(),
    /** Time of the runner's report if the status comes from a report. The repository may have changed since then. */
    as_of: z.iso.datetime().optional(),
    warning,
  })
  .meta({ id: "WorktreeStatus" })
export type WorktreeStatus = z.infer<typeof WorktreeStatus>

/** Branches of the repository, beginning with the current one. Excludes the branches of sessions. */
export const Branches = z
  .object({
    branches: z.array(z.string()),
    default: z.string().nullable(),
    current: z.string().nullable(),
  })
  .meta({ id: "Branches" })
export type Branches = z.infer<typeof Branches>

export const CreateWorktree = z
  .object({
    /** Starting point of the work. Defaults to the commit that is checked out in the repository. */
    base_branch: BranchName.optional(),
    branch: BranchName.optional().describe(
      "Existing branch to work on, in a repository on this machine. If it's checked out in one of your worktrees, that worktree is taken over",
    ),
  })
  .meta({ id: "CreateWorktree" })
export type CreateWorktree = z.infer<typeof CreateWorktree>

/** `created` is false if the session already had this worktree. */
export const CreatedWorktree = WorktreeStatus.extend({ created: z.boolean() }).meta({ id: "CreatedWorktree" })
export type CreatedWorktree = z.infer<typeof CreatedWorktree>

/** Work that existed only in a worktree that was removed or reset, with the place in which it is kept now. */
export const KeptWork = z
  .object({
    ref: z.string().nullable().describe("Prefix of the refs under which it is kept; null if git ignores all of it"),
    commit: z.string().nullable().describe("Commit of its files, on top of any commits that aren't on a branch"),
    until: z.iso.datetime().nullable().describe("End of its retention; null if `ref` is null"),
    command: z
      .string()
      .nullable()
      .describe("Git command that checks it out in a new folder next to the repository; null if `commit` is null"),
    inner: z
      .array(z.object({ path: z.string(), ref: z.string(), commit: z.string(), repository: z.string() }))
      .describe("Kept work from nested repositories such as submodules, and the repository that contains it now"),
    ignored: z
      .object({
        count: z.int().nonnegative(),
        named: z.array(z.object({ path: z.string(), files: z.int(), bytes: z.int() })),
      })
      .describe("Ignored files and folders, which aren't kept: how many, and the first twenty"),
  })
  .meta({ id: "KeptWork" })
export type KeptWork = z.infer<typeof KeptWork>

export const DeleteRequest = z
  .object({
    discard: z
      .boolean()
      .optional()
      .describe(
        "Discards work that exists nowhere else. By default, it's kept under a ref for the session's retention period",
      ),
  })
  .meta({ id: "DeleteWorktreeRequest" })
export type DeleteRequest = z.infer<typeof DeleteRequest>

const kept = KeptWork.optional()

export const Reset = z.object({ reset: z.literal(true), message: z.string(), kept, warning })
export type Reset = z.infer<typeof Reset>

export const Deleted = z.object({ deleted: z.boolean(), message: z.string(), kept, warning })
export type Deleted = z.infer<typeof Deleted>

export const ConfirmedDeletions = z
  .object({ deleted_files: z.int().nonnegative(), message: z.string() })
  .meta({ id: "ConfirmedDeletions" })
export type ConfirmedDeletions = z.infer<typeof ConfirmedDeletions>
