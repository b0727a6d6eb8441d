import * as z from "zod"
import { LeftOut } from "./checkpoint-schema.ts"

/** `no_newline` says of the line before it that its file ends there, without a newline. */
export const DiffLine = z
  .object({
    type: z.enum(["context", "add", "delete", "no_newline"]),
    /** Without its newline; a carriage return before that stays. */
    content: z.string(),
    old_line: z.int().positive().optional(),
    new_line: z.int().positive().optional(),
  })
  .meta({ id: "DiffLine" })
export type DiffLine = z.infer<typeof DiffLine>

export const DiffHunk = z
  .object({
    old_start: z.int().nonnegative(),
    old_count: z.int().nonnegative(),
    new_start: z.int().nonnegative(),
    new_count: z.int().nonnegative(),
    /** The text after the numbers: mostly the function that the hunk is in. */
    section: z.string(),
    lines: z.array(DiffLine),
  })
  .meta({ id: "DiffHunk" })
export type DiffHunk = z.infer<typeof DiffHunk>

const DiffMark = z.enum([
  /** Made by a tool: a lock file, a bundle, or what `.gitattributes` calls generated. */
  "generated",
  /** Its hunks are left out, unless the file is asked for alone. */
  "too_large",
  /** Has bytes that are no UTF-8: what is shown of them are replacement characters. */
  "not_utf8",
])

/** One changed file, without its hunks. Both paths are always there, and differ only after a rename or a copy. */
export const DiffEntry = z
  .object({
    old_path: z.string(),
    new_path: z.string(),
    is_new: z.boolean(),
    is_deleted: z.boolean(),
    is_renamed: z.boolean(),
    is_copied: z.boolean(),
    is_binary: z.boolean(),
    is_submodule: z.boolean(),
    /** As git writes them: `100644`, `100755`, `120000` for a link, `160000` for a submodule; null where there is no file. */
    old_mode: z.string().nullable(),
    new_mode: z.string().nullable(),
    /** Lines; null for what is binary. */
    additions: z.int().nonnegative().nullable(),
    deletions: z.int().nonnegative().nullable(),
    marks: z.array(DiffMark),
  })
  .meta({ id: "DiffEntry" })
export type DiffEntry = z.infer<typeof DiffEntry>

export const DiffFile = DiffEntry.extend({ hunks: z.array(DiffHunk) }).meta({ id: "DiffFile" })
export type DiffFile = z.infer<typeof DiffFile>

const diffTotals = {
  /** As people read it: `12 files changed, 214 insertions(+), 61 deletions(-)`, and what is left out, by name. */
  summary: z.string(),
  files_changed: z.int().nonnegative(),
  insertions: z.int().nonnegative(),
  deletions: z.int().nonnegative(),
  /** The commit or branch that the diff is against. */
  base_commit: z.string(),
  /** False where more files changed than are listed. */
  complete: z.boolean(),
  /** Repositories inside the worktree, which are no part of the work. */
  left_out: z.array(z.string()),
}

/** The file list, which a reader gets first. */
export const DiffSummary = z.object({ ...diffTotals, files: z.array(DiffEntry) }).meta({ id: "DiffSummary" })
export type DiffSummary = z.infer<typeof DiffSummary>

export const FullDiff = z.object({ ...diffTotals, files: z.array(DiffFile) }).meta({ id: "FullDiff" })
export type FullDiff = z.infer<typeof FullDiff>

export const DiffQuery = z.object({
  /** Against where the work and this branch parted, in place of where the work began. */
  compare_branch: z.string().min(1).optional(),
  /** Only this file, by its new path: with hunks even where it is marked as too large. */
  path: z.string().min(1).optional(),
})
export type DiffQuery = z.infer<typeof DiffQuery>

/** A merge, or an update, that waits for its conflicts to be resolved. */
export const PendingMerge = z
  .object({
    /** `merge` brings the work into the target branch, `update` brings that branch into the work. */
    direction: z.enum(["merge", "update"]),
    target_branch: z.string(),
    files: z.int().nonnegative(),
    unresolved: z.int().nonnegative(),
  })
  .meta({ id: "PendingMerge" })
export type PendingMerge = z.infer<typeof PendingMerge>

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

/** Beside what a command did, what could not be done after it. */
const warning = z.string().optional()

/** `exists: false` has null in every other place, and isn't an error. */
export const WorktreeStatus = z
  .object({
    exists: z.boolean(),
    path: z.string().nullable(),
    branch: z.string().nullable(),
    base_commit: z.string().nullable(),
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
    /** Files of the worktree that are not among the session's, the first hundred; absent where there are none. */
    left_out: z.array(LeftOut).optional(),
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

/** A file as one side has it. */
const ConflictSide = z
  .object({
    mode: z.string(),
    blob: z.string(),
    size_bytes: z.int().nonnegative().nullable(),
  })
  .meta({ id: "ConflictSide" })

export const ConflictKind = z.enum([
  "content",
  "both_added",
  /** The branch that is merged into deleted it; the other one changed it. */
  "deleted_by_ours",
  "deleted_by_theirs",
  /** Under this path no side has it any more: both renamed it, and differently. */
  "deleted_by_both",
  /** Only one side has it here: the other has it under another path, or something else stands in its way. */
  "added_by_ours",
  "added_by_theirs",
])
export type ConflictKind = z.infer<typeof ConflictKind>

/** One region that both sides changed, in lines without their newlines, with a few of those around it. */
export const ConflictHunk = z
  .object({
    index: z.int().nonnegative(),
    before: z.array(z.string()),
    ours: z.array(z.string()),
    base: z.array(z.string()),
    theirs: z.array(z.string()),
    after: z.array(z.string()),
  })
  .meta({ id: "ConflictHunk" })
export type ConflictHunk = z.infer<typeof ConflictHunk>

/** `ours` is the branch that is merged into, `theirs` what is merged. */
export const ConflictFile = z
  .object({
    file_path: z.string(),
    kind: ConflictKind,
    is_binary: z.boolean(),
    is_submodule: z.boolean(),
    marks: z.array(DiffMark),
    resolved: z.boolean(),
    base: z.union([ConflictSide, z.null()]),
    ours: z.union([ConflictSide, z.null()]),
    theirs: z.union([ConflictSide, z.null()]),
    /** Other conflicts that come from the same rename, by path. */
    related: z.array(z.string()),
    /** Empty where no text can be merged: then the file is resolved by side, or by its content. */
    hunks: z.array(ConflictHunk),
    /** The whole texts, of a file that is asked for alone. `merged` has git's markers. */
    content: z
      .object({
        base: z.string().nullable(),
        ours: z.string().nullable(),
        theirs: z.string().nullable(),
        merged: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: "ConflictFile" })
export type ConflictFile = z.infer<typeof ConflictFile>

export const Conflicts = PendingMerge.omit({ files: true })
  .extend({
    /** Git's messages about them, for people. */
    notes: z.array(z.string()),
    files: z.array(ConflictFile),
    /** False where more files are in conflict than are listed. */
    complete: z.boolean(),
  })
  .meta({ id: "Conflicts" })
export type Conflicts = z.infer<typeof Conflicts>

const Message = z
  .string()
  .max(100_000)
  .refine((text) => !text.includes("\0"), "has a NUL character")
const Path = z.string().min(1).max(4096)
const Branch = z.string().min(1).max(255)

export const CreateWorktree = z
  .object({
    /** The commit that the work begins with; without it, the repository's present one. */
    base_branch: Branch.optional(),
  })
  .meta({ id: "CreateWorktree" })
export type CreateWorktree = z.infer<typeof CreateWorktree>

/** `created` is false where the session had a worktree: this is that one, as it was. */
export const CreatedWorktree = WorktreeStatus.extend({ created: z.boolean() }).meta({ id: "CreatedWorktree" })
export type CreatedWorktree = z.infer<typeof CreatedWorktree>

/** The consent to run the hooks of the user's repository, as a commit by hand does, and to sign if its settings ask for it. */
const run_hooks = z.boolean().optional()

export const MergeRequest = z
  .object({
    target_branch: Branch.optional(),
    /** Kept to the letter; a blank one counts as none, and one is made. */
    commit_message: Message.nullish(),
    /** One commit on the target branch, or a merge commit that keeps the work's own. */
    strategy: z.enum(["squash", "merge"]).default("squash"),
    /** Whether the worktree and its branch go once the merge is made. */
    delete_worktree: z.boolean().default(true),
    run_hooks,
  })
  .meta({ id: "MergeRequest" })
export type MergeRequest = z.infer<typeof MergeRequest>

/** Without `run_hooks`, as the merge was asked for. */
export const CompleteRequest = z.object({ run_hooks }).meta({ id: "CompleteMergeRequest" })
export type CompleteRequest = z.infer<typeof CompleteRequest>

export const UpdateRequest = z.object({ target_branch: Branch.optional() }).meta({ id: "UpdateWorktreeRequest" })
export type UpdateRequest = z.infer<typeof UpdateRequest>

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
    reason: z.enum(["new_commits", "uncommitted_changes"]),
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
    status: z.enum(["merged", "conflicts", "nothing_to_merge", "aborted", "no_merge"]),
    /** For people. */
    message: z.string(),
    target_branch: z.string().nullable(),
    commit: z.string().nullable(),
    /** The folder that has the target branch checked out and was brought along. */
    checkout: z.string().nullable(),
    worktree_deleted: z.boolean(),
    /** Work that came into the worktree after the merge began is never deleted. */
    worktree_kept: KeptWorktree.optional(),
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
    branch: Branch.optional(),
    remote: z.string().min(1).max(255).default("origin"),
  })
  .meta({ id: "PushRequest" })
export type PushRequest = z.infer<typeof PushRequest>

export const PushResult = z
  .object({ remote: z.string(), branch: z.string(), commit: z.string(), warning })
  .meta({ id: "PushResult" })
export type PushResult = z.infer<typeof PushResult>

export const Reset = z.object({ reset: z.literal(true), message: z.string(), warning })
export type Reset = z.infer<typeof Reset>

export const Deleted = z.object({ deleted: z.boolean(), message: z.string(), warning })
export type Deleted = z.infer<typeof Deleted>

export const ConfirmedDeletions = z
  .object({ deleted_files: z.int().nonnegative(), message: z.string() })
  .meta({ id: "ConfirmedDeletions" })
export type ConfirmedDeletions = z.infer<typeof ConfirmedDeletions>
