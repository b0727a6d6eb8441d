import * as z from "zod"
import { SkippedFile } from "./checkpoint-schema.ts"
import { PendingMerge } from "./conflict-schema.ts"
import { BranchName } from "./names-schema.ts"

/** Files that are gone from the worktree, and so many that they stay among the session's files until somebody confirms. */
export const HeldDeletions = z
  .object({
    count: z.int().positive(),
    /** The first twenty. */
    paths: z.array(z.string()),
  })
  .meta({ id: "HeldDeletions" })
export type HeldDeletions = z.infer<typeof HeldDeletions>

/** The progress of saving a worktree's files among the session's. */
export const Saving = z
  .object({ saved: z.int().nonnegative(), total: z.int().nonnegative() })
  .meta({ id: "SaveProgress" })
export type Saving = z.infer<typeof Saving>

/** The reason why git doesn't know a worktree: its folder or its `.git` is gone, is another repository's, or can't be read. */
export const Damage = z.enum(["folder_missing", "git_missing", "git_replaced", "git_broken"])
export type Damage = z.infer<typeof Damage>

/** State of the worktree that can't be committed as it is, so nothing of it is merged or pushed. */
export const Unresolved = z
  .object({
    operation: z
      .enum(["merge", "rebase", "am", "cherry_pick", "revert", "bisect"])
      .nullable()
      .describe("Git's operation that isn't finished; null for conflicts without one"),
    files: z.array(z.string()).describe("Files with conflicts, by path"),
  })
  .meta({ id: "UnresolvedWork" })
export type Unresolved = z.infer<typeof Unresolved>

/** The failure of a step after a command that succeeded. */
export const warning = z.string().optional()

/** `exists: false` has null in every other place, and isn't an error. */
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
      .describe("The newest commit of the work; absent in reports of older runners"),
    /** Whether there is anything to merge: committed, changed or untracked. */
    has_changes: z.boolean(),
    /** Whether some of it isn't committed yet. */
    uncommitted: z.boolean(),
    /** The target of a merge that names no branch. */
    target_branch: z.string().nullable(),
    /** Commits of the target branch that the work doesn't have. */
    behind: z.int().nonnegative().nullable(),
    ahead: z.int().nonnegative().nullable(),
    merge: z.union([PendingMerge, z.null()]),
    unresolved: Unresolved.optional().describe("What keeps the work from being committed; absent if nothing does"),
    /** Files of the worktree that are not among the session's, the first hundred; absent where there are none. */
    left_out: z.array(SkippedFile).optional(),
    /** Files that a task deleted and that stay among the session's files until somebody confirms; absent where none do. */
    unconfirmed_deletions: HeldDeletions.optional(),
    /** Files that are being saved among the session's, of how many; absent where none are. */
    saving: Saving.optional(),
    /** When a runner looked, where one isn't asked: the repository may have moved on since. */
    as_of: z.iso.datetime().optional(),
    warning,
  })
  .meta({ id: "WorktreeStatus" })
export type WorktreeStatus = z.infer<typeof WorktreeStatus>

/** Of the repository: the current one first, those of sessions hidden. */
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
    /** The commit that the work begins with; without it, the repository's present one. */
    base_branch: BranchName.optional(),
    branch: BranchName.optional().describe(
      "An existing branch of a repository on this machine to work on. Where a worktree of yours has it checked out, that one is taken over",
    ),
  })
  .meta({ id: "CreateWorktree" })
export type CreateWorktree = z.infer<typeof CreateWorktree>

/** `created` is false where the session had a worktree: this is that one, as it was. */
export const CreatedWorktree = WorktreeStatus.extend({ created: z.boolean() }).meta({ id: "CreatedWorktree" })
export type CreatedWorktree = z.infer<typeof CreatedWorktree>

/** Work that existed only in a worktree that was removed or reset, and where it is now. */
export const KeptWork = z
  .object({
    ref: z.string().nullable().describe("Prefix of the refs that keep it; null if all of it is ignored by git"),
    commit: z.string().nullable().describe("Its files as they were, on top of the commits that no branch has"),
    until: z.iso.datetime().nullable().describe("End of its retention; null with `ref`"),
    command: z
      .string()
      .nullable()
      .describe("Git command that checks it out beside the repository; null without `commit`"),
    inner: z
      .array(z.object({ path: z.string(), ref: z.string(), commit: z.string(), repository: z.string() }))
      .describe("The same of submodules and other repositories inside it, and the repository that has it now"),
    ignored: z
      .object({
        count: z.int().nonnegative(),
        named: z.array(z.object({ path: z.string(), files: z.int(), bytes: z.int() })),
      })
      .describe("Files and folders that git ignores, which aren't kept: their number, and the first twenty"),
  })
  .meta({ id: "KeptWork" })
export type KeptWork = z.infer<typeof KeptWork>

export const DeleteRequest = z
  .object({
    discard: z
      .boolean()
      .optional()
      .describe(
        "Whether work that exists nowhere else is lost: without it, that is kept under a ref for the retention of the session",
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
