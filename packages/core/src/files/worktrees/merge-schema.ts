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
 * Consent to run the hooks of the user's repository, as a manual commit does, and to sign if its settings require it.
 */
const run_hooks = z.boolean().optional()

/** Consent to merge files with conflict markers, such as tests of a parser. */
const allow_markers = z.boolean().optional()

export const MergeRequest = z
  .object({
    target_branch: BranchName.optional(),
    /** Used unchanged. If blank, a message is generated. */
    commit_message: Message.nullish(),
    /** One commit on the target branch, or a merge commit that keeps the work's own commits. */
    strategy: z.enum(["squash", "merge"]).default("squash"),
    /** Deletes the worktree and its branch once the merge is made. */
    delete_worktree: z.boolean().default(true),
    run_hooks,
    allow_markers,
  })
  .meta({ id: "MergeRequest" })
export type MergeRequest = z.infer<typeof MergeRequest>

/** Omitted fields have their value from the merge request. */
export const CompleteRequest = z.object({ run_hooks, allow_markers }).meta({ id: "CompleteMergeRequest" })
export type CompleteRequest = z.infer<typeof CompleteRequest>

export const UpdateRequest = z.object({ target_branch: BranchName.optional() }).meta({ id: "UpdateWorktreeRequest" })
export type UpdateRequest = z.infer<typeof UpdateRequest>

export const UndoRequest = z
  .object({
    /** Commit of the merge. If it isn't the last merge, nothing is done. */
    commit: z.string().min(1).max(100).optional(),
  })
  .meta({ id: "UndoMergeRequest" })
export type UndoRequest = z.infer<typeof UndoRequest>

const Side = z.enum(["ours", "theirs", "base", "both"])
export type Side = z.infer<typeof Side>

/** Resolution of one region: a side (`both` is ours, then theirs), or custom lines. */
export const HunkChoice = z.union([Side, z.strictObject({ lines: z.array(z.string()) })])
export type HunkChoice = z.infer<typeof HunkChoice>

/** Completes the merge if everything is resolved. */
const complete = z.boolean().default(false)

export const ResolveRequest = z
  .union([
    z.strictObject({ file_path: Path, use: Side, complete }),
    z.strictObject({ file_path: Path, content: z.string(), complete }),
    /** One choice for each region, in order. */
    z.strictObject({ file_path: Path, hunks: z.array(HunkChoice), complete }),
    z.strictObject({ file_path: Path, delete: z.literal(true), complete }),
    /** Resolves everything that is still unresolved. */
    z.strictObject({ use: z.enum(["ours", "theirs"]), complete }),
    /** Format of other servers: uses their side or ours for every file, and completes the merge. */
    z.strictObject({ use_incoming: z.boolean() }),
  ])
  .meta({ id: "ResolveRequest" })
export type ResolveRequest = z.infer<typeof ResolveRequest>

/** Reason why a worktree was not deleted after its merge. */
export const KeptWorktree = z
  .object({
    reason: z.enum(["new_commits", "uncommitted_changes", "too_large", "left_out"]),
    /** For people. */
    message: z.string(),
  })
  .meta({ id: "KeptWorktree" })
export type KeptWorktree = z.infer<typeof KeptWorktree>

/** Steps of a manual commit in the user's repository that were skipped. */
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
    /** For people. */
    message: z.string(),
    target_branch: z.string().nullable(),
    /** Commit of the merge. After an undo, the commit that the target branch was reset to. */
    commit: z.string().nullable(),
    /** Folder that has the target branch checked out and was updated. */
    checkout: z.string().nullable(),
    worktree_deleted: z.boolean(),
    /** Set if new work arrived after the merge began, which is never deleted. */
    worktree_kept: KeptWorktree.optional(),
    kept: KeptWork.optional().describe("Work of the deleted worktree that is not in the merge"),
    /** Next step if the merge is in a clone that only this session has: the branch to push, and its remote. */
    push: z.object({ remote: z.string(), branch: z.string() }).optional(),
    conflicts: z.array(ConflictFile).nullable(),
    /** Absent if nothing was skipped. */
    skipped: Skipped.optional(),
    warning,
  })
  .meta({ id: "MergeResult" })
export type MergeResult = z.infer<typeof MergeResult>

export const PushRequest = z
  .object({
    /** By default the target branch; without a worktree, the branch that was merged into last. */
    branch: BranchName.optional(),
    remote: z.string().min(1).max(255).default("origin"),
    allow_markers,
    /** Without it, a branch is refused if its submodules have commits that their remotes aren't known to have. */
    allow_unpublished: z.boolean().optional(),
  })
  .meta({ id: "PushRequest" })
export type PushRequest = z.infer<typeof PushRequest>

export const PushResult = z
  .object({ remote: z.string(), branch: z.string(), commit: z.string(), warning })
  .meta({ id: "PushResult" })
export type PushResult = z.infer<typeof PushResult>
