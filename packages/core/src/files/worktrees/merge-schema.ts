import * as z from "zod"
import { charLimit } from "../../text/text-limits-schema.ts"
import { ConflictFile } from "./conflict-schema.ts"
import { BranchName } from "./names-schema.ts"
import { KeptWork, warning } from "./schema.ts"

const Message = z
  .string()
  .max(...charLimit("message"))
  .refine((text) => !text.includes("\0"), "contains a NUL character")
const Path = z.string().min(1).max(4096)

/**
 * True if the user agrees to run the repository's hooks as in a manual commit, and to sign the commit if the user's
 * settings require it.
 */
const run_hooks = z.boolean().optional()

/** True if the user agrees to merge files that contain conflict markers, such as a parser's test files. */
const allow_markers = z.boolean().optional()

export const MergeRequest = z
  .object({
    target_branch: BranchName.optional(),
    /** Commit message, used verbatim. If blank, a message is generated. */
    commit_message: Message.nullish(),
    /**
     * `squash` creates one commit on the target branch, and `merge` creates a merge commit that keeps the work's
     * commits.
     */
    strategy: z.enum(["squash", "merge"]).default("squash"),
    /** True to delete the worktree and its branch after the merge. */
    delete_worktree: z.boolean().default(true),
    run_hooks,
    allow_markers,
  })
  .meta({ id: "MergeRequest" })
export type MergeRequest = z.infer<typeof MergeRequest>

/** Request to complete a merge. Omitted fields have the same values as in the merge request. */
export const CompleteRequest = z.object({ run_hooks, allow_markers }).meta({ id: "CompleteMergeRequest" })
export type CompleteRequest = z.infer<typeof CompleteRequest>

export const UpdateRequest = z.object({ target_branch: BranchName.optional() }).meta({ id: "UpdateWorktreeRequest" })
export type UpdateRequest = z.infer<typeof UpdateRequest>

export const UndoRequest = z
  .object({
    /** Merge commit to undo. If this isn't the latest merge, nothing is undone. */
    commit: z.string().min(1).max(100).optional(),
  })
  .meta({ id: "UndoMergeRequest" })
export type UndoRequest = z.infer<typeof UndoRequest>

const Side = z.enum(["ours", "theirs", "base", "both"])
export type Side = z.infer<typeof Side>

/** Resolution of one region: one of the sides (`both` means ours, followed by theirs), or custom lines. */
export const HunkChoice = z.union([Side, z.strictObject({ lines: z.array(z.string()) })])
export type HunkChoice = z.infer<typeof HunkChoice>

/** True to complete the merge once all conflicts are resolved. */
const complete = z.boolean().default(false)

export const ResolveRequest = z
  .union([
    z.strictObject({ file_path: Path, use: Side, complete }),
    z.strictObject({ file_path: Path, content: z.string(), complete }),
    /** One choice per region, in order. */
    z.strictObject({ file_path: Path, hunks: z.array(HunkChoice), complete }),
    z.strictObject({ file_path: Path, delete: z.literal(true), complete }),
    /** Resolves all remaining conflicts with one side. */
    z.strictObject({ use: z.enum(["ours", "theirs"]), complete }),
    /** Request format used by other servers. Resolves every file to `theirs` or `ours`, and completes the merge. */
    z.strictObject({ use_incoming: z.boolean() }),
  ])
  .meta({ id: "ResolveRequest" })
export type ResolveRequest = z.infer<typeof ResolveRequest>

/** Reason why a worktree wasn't deleted after its merge. */
export const KeptWorktree = z
  .object({
    reason: z.enum(["new_commits", "uncommitted_changes", "too_large", "left_out"]),
    /** Human-readable message. */
    message: z.string(),
  })
  .meta({ id: "KeptWorktree" })
export type KeptWorktree = z.infer<typeof KeptWorktree>

/** Steps of a manual commit in the user's repository that were skipped here. */
export const Skipped = z
  .object({
    /** Hook names, such as `pre-commit`. */
    hooks: z.array(z.string()),
    /** True if a manual commit would have been signed. */
    signing: z.boolean(),
  })
  .meta({ id: "SkippedSteps" })
export type Skipped = z.infer<typeof Skipped>

export const MergeResult = z
  .object({
    success: z.boolean(),
    status: z.enum(["merged", "conflicts", "nothing_to_merge", "aborted", "no_merge", "undone"]),
    /** Human-readable message. */
    message: z.string(),
    target_branch: z.string().nullable(),
    /** Merge commit. After an undo, this is the commit to which the target branch was reset. */
    commit: z.string().nullable(),
    /** Folder in which the target branch is checked out, whose files were updated. */
    checkout: z.string().nullable(),
    worktree_deleted: z.boolean(),
    /** Set if new work was added after the merge began. Such work is never deleted. */
    worktree_kept: KeptWorktree.optional(),
    kept: KeptWork.optional().describe("Work from the deleted worktree that isn't in the merge"),
    /** Next step if the merge was made in a clone that only this session uses: push this branch to this remote. */
    push: z.object({ remote: z.string(), branch: z.string() }).optional(),
    conflicts: z.array(ConflictFile).nullable(),
    /** Steps that were skipped. Absent if there were none. */
    skipped: Skipped.optional(),
    warning,
  })
  .meta({ id: "MergeResult" })
export type MergeResult = z.infer<typeof MergeResult>

export const PushRequest = z
  .object({
    /**
     * Branch to push. Defaults to the target branch or, if there is no worktree, to the branch into which work was last
     * merged.
     */
    branch: BranchName.optional(),
    remote: z.string().min(1).max(255).default("origin"),
    allow_markers,
    /** True to allow pushing a branch whose submodules have commits that may not exist on their remotes. */
    allow_unpublished: z.boolean().optional(),
  })
  .meta({ id: "PushRequest" })
export type PushRequest = z.infer<typeof PushRequest>

export const PushResult = z
  .object({ remote: z.string(), branch: z.string(), commit: z.string(), warning })
  .meta({ id: "PushResult" })
export type PushResult = z.infer<typeof PushResult>
