import * as z from "zod"
import { charLimit } from "../../text-limits-schema.ts"
import { ConflictFile } from "./conflict-schema.ts"
import { BranchName } from "./names-schema.ts"
import { KeptWork, warning } from "./schema.ts"

const Message = z
  .string()
  .max(...charLimit("message"))
  .refine((text) => !text.includes("\0"), "has a NUL character")
const Path = z.string().min(1).max(4096)

/** The consent to run the hooks of the user's repository, as a commit by hand does, and to sign if its settings ask for it. */
const run_hooks = z.boolean().optional()

/** The consent to merge files that have conflict markers, as a test of a parser of such files has. */
const allow_markers = z.boolean().optional()

export const MergeRequest = z
  .object({
    target_branch: BranchName.optional(),
    /** Kept to the letter; a blank one counts as none, and one is made. */
    commit_message: Message.nullish(),
    /** One commit on the target branch, or a merge commit that keeps the work's own. */
    strategy: z.enum(["squash", "merge"]).default("squash"),
    /** Whether the worktree and its branch go once the merge is made. */
    delete_worktree: z.boolean().default(true),
    run_hooks,
    allow_markers,
  })
  .meta({ id: "MergeRequest" })
export type MergeRequest = z.infer<typeof MergeRequest>

/** Without one of these, as the merge was asked for. */
export const CompleteRequest = z.object({ run_hooks, allow_markers }).meta({ id: "CompleteMergeRequest" })
export type CompleteRequest = z.infer<typeof CompleteRequest>

export const UpdateRequest = z.object({ target_branch: BranchName.optional() }).meta({ id: "UpdateWorktreeRequest" })
export type UpdateRequest = z.infer<typeof UpdateRequest>

export const UndoRequest = z
  .object({
    /** The merge's commit. If the last merge is another one, nothing is done. */
    commit: z.string().min(1).max(100).optional(),
  })
  .meta({ id: "UndoMergeRequest" })
export type UndoRequest = z.infer<typeof UndoRequest>

const Side = z.enum(["ours", "theirs", "base", "both"])
export type Side = z.infer<typeof Side>

/** The resolution of one region: a side (`both` is ours, then theirs), or lines of one's own. */
export const HunkChoice = z.union([Side, z.strictObject({ lines: z.array(z.string()) })])
export type HunkChoice = z.infer<typeof HunkChoice>

/** With `complete`, the merge is made if nothing is left to resolve. */
const complete = z.boolean().default(false)

export const ResolveRequest = z
  .union([
    z.strictObject({ file_path: Path, use: Side, complete }),
    z.strictObject({ file_path: Path, content: z.string(), complete }),
    /** One choice for each region, in their order. */
    z.strictObject({ file_path: Path, hunks: z.array(HunkChoice), complete }),
    z.strictObject({ file_path: Path, delete: z.literal(true), complete }),
    /** Everything that isn't resolved yet. */
    z.strictObject({ use: z.enum(["ours", "theirs"]), complete }),
    /** The same in the words of others: their side, or ours, for every file, and the merge is made. */
    z.strictObject({ use_incoming: z.boolean() }),
  ])
  .meta({ id: "ResolveRequest" })
export type ResolveRequest = z.infer<typeof ResolveRequest>

/** Why a worktree that was to be deleted after a merge is still there. */
export const KeptWorktree = z
  .object({
    reason: z.enum(["new_commits", "uncommitted_changes", "too_large", "left_out"]),
    /** For people. */
    message: z.string(),
  })
  .meta({ id: "KeptWorktree" })
export type KeptWorktree = z.infer<typeof KeptWorktree>

/** The steps of a commit by hand in the user's repository that were left out. */
export const Skipped = z
  .object({
    /** By name, as `pre-commit`. */
    hooks: z.array(z.string()),
    /** Whether the commit would have been signed. */
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
    /** The merge. After an undo, the commit that the target branch is back at. */
    commit: z.string().nullable(),
    /** The folder that has the target branch checked out and was brought along. */
    checkout: z.string().nullable(),
    worktree_deleted: z.boolean(),
    /** Work that came into the worktree after the merge began is never deleted. */
    worktree_kept: KeptWorktree.optional(),
    kept: KeptWork.optional().describe("Work of the deleted worktree that is not in the merge"),
    /** The last step, where the merge is in a clone that only this session has: what to push, and where to. */
    push: z.object({ remote: z.string(), branch: z.string() }).optional(),
    conflicts: z.array(ConflictFile).nullable(),
    /** Absent where nothing was. */
    skipped: Skipped.optional(),
    warning,
  })
  .meta({ id: "MergeResult" })
export type MergeResult = z.infer<typeof MergeResult>

export const PushRequest = z
  .object({
    /** Without it, the target branch; without a worktree, the one that was merged into last. */
    branch: BranchName.optional(),
    remote: z.string().min(1).max(255).default("origin"),
    allow_markers,
  })
  .meta({ id: "PushRequest" })
export type PushRequest = z.infer<typeof PushRequest>

export const PushResult = z
  .object({ remote: z.string(), branch: z.string(), commit: z.string(), warning })
  .meta({ id: "PushResult" })
export type PushResult = z.infer<typeof PushResult>
