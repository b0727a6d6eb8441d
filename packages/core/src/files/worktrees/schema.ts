import * as z from "zod"
import { SkippedFile } from "./checkpoint-schema.ts"
import { PendingMerge } from "./conflict-schema.ts"
import { BranchName } from "./names-schema.ts"

/** Files deleted from the worktree, so many that the session keeps them until the deletion is confirmed. */
export const HeldDeletions = z
  .object({
    count: z.int().positive(),
    /** First twenty paths. */
    paths: z.array(z.string()),
  })
  .meta({ id: "HeldDeletions" })
export type HeldDeletions = z.infer<typeof HeldDeletions>

/** Progress of saving a worktree's files to the session's files. */
export const Saving = z
  .object({ saved: z.int().nonnegative(), total: z.int().nonnegative() })
  .meta({ id: "SaveProgress" })
export type Saving = z.infer<typeof Saving>

/**
 * Reason why git doesn't recognise a worktree: its folder or `.git` is missing, belongs to another repository, or can't
 * be read.
 */
export const Damage = z.enum(["folder_missing", "git_missing", "git_replaced", "git_broken"])
export type Damage = z.infer<typeof Damage>

/** State in which the worktree can't be committed, so nothing of it is merged or pushed. */
export const Unresolved = z
  .object({
    operation: z
      .enum(["merge", "rebase", "am", "cherry_pick", "revert", "bisect"])
      .nullable()
      .describe("Unfinished git operation; null for conflicts without one"),
    files: z.array(z.string()).describe("Paths of files with conflicts"),
  })
  .meta({ id: "UnresolvedWork" })
export type Unresolved = z.infer<typeof Unresolved>

/** Failure of a step after a successful command. */
export const warning = z.string().optional()

/** With `exists: false`, all other fields are null or empty. That is no error. */
export const WorktreeStatus = z
  .object({
    exists: z.boolean(),
    path: z.string().nullable(),
    branch: z.string().nullable(),
    base_commit: z.string().nullable(),
    commit: z.string().nullable().optional().describe("Newest commit of the work; absent in reports of older runners"),
    /** True if there is anything to merge: committed, changed or untracked. */
    has_changes: z.boolean(),
    /** True if some of it is not committed. */
    uncommitted: z.boolean(),
    /** Target of a merge that names no branch. */
    target_branch: z.string().nullable(),
    /** Number of commits of the target branch that the work doesn't have. */
    behind: z.int().nonnegative().nullable(),
    ahead: z.int().nonnegative().nullable(),
    merge: z.union([PendingMerge, z.null()]),
    unresolved: Unresolved.optional().describe("State that prevents a commit of the work; absent if there is none"),
    /** First hundred files of the worktree that are not among the session's files. Absent if there are none. */
    left_out: z.array(SkippedFile).optional(),
    /** Files deleted by a task that the session keeps until the deletion is confirmed. Absent if there are none. */
    unconfirmed_deletions: HeldDeletions.optional(),
    /** Progress of saving files to the session's files. Absent if none are being saved. */
    saving: Saving.optional(),
    /** Time of the runner's report, if no runner is asked. The repository may have changed since. */
    as_of: z.iso.datetime().optional(),
    warning,
  })
  .meta({ id: "WorktreeStatus" })
export type WorktreeStatus = z.infer<typeof WorktreeStatus>

/** Branches of the repository, current first, without sessions' branches. */
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
    /** Commit that the work starts from, by default the repository's current one. */
    base_branch: BranchName.optional(),
    branch: BranchName.optional().describe(
      "Existing branch of a repository on this machine to work on. If one of your worktrees has it checked out, that worktree is taken over",
    ),
  })
  .meta({ id: "CreateWorktree" })
export type CreateWorktree = z.infer<typeof CreateWorktree>

/** `created` is false if the session already had this worktree. */
export const CreatedWorktree = WorktreeStatus.extend({ created: z.boolean() }).meta({ id: "CreatedWorktree" })
export type CreatedWorktree = z.infer<typeof CreatedWorktree>

/** Work that existed only in a removed or reset worktree, and its new location. */
export const KeptWork = z
  .object({
    ref: z.string().nullable().describe("Prefix of the refs that keep it; null if git ignores all of it"),
    commit: z.string().nullable().describe("Commit of its files, on top of commits without a branch"),
    until: z.iso.datetime().nullable().describe("End of its retention; null if `ref` is null"),
    command: z
      .string()
      .nullable()
      .describe("Git command that checks it out beside the repository; null without `commit`"),
    inner: z
      .array(z.object({ path: z.string(), ref: z.string(), commit: z.string(), repository: z.string() }))
      .describe("Kept work of submodules and other repositories inside it, and the repository that has it now"),
    ignored: z
      .object({
        count: z.int().nonnegative(),
        named: z.array(z.object({ path: z.string(), files: z.int(), bytes: z.int() })),
      })
      .describe("Ignored files and folders, which aren't kept: their number, and the first twenty"),
  })
  .meta({ id: "KeptWork" })
export type KeptWork = z.infer<typeof KeptWork>

export const DeleteRequest = z
  .object({
    discard: z
      .boolean()
      .optional()
      .describe(
        "Discards work that exists nowhere else. Otherwise it is kept under a ref for the session's retention period",
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
