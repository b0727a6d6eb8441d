import * as z from "zod"
import { BranchName } from "./names-schema.ts"

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

export const DiffMark = z.enum([
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
  /** Other worktrees inside the worktree, with a slash at the end, and files that git can't store. */
  left_out: z.array(z.string()),
}

/** The file list, which a reader gets first. */
export const DiffSummary = z.object({ ...diffTotals, files: z.array(DiffEntry) }).meta({ id: "DiffSummary" })
export type DiffSummary = z.infer<typeof DiffSummary>

export const FullDiff = z.object({ ...diffTotals, files: z.array(DiffFile) }).meta({ id: "FullDiff" })
export type FullDiff = z.infer<typeof FullDiff>

/** A query for what is to be reviewed: from where both parted to `tip`, or to the worktree's files as they are. */
export const ReviewQuery = z.object({
  base: z.string().nullable().describe("A branch, tag or commit; null for where the work began"),
  tip: z.string().nullable().describe("The same; null for the worktree's files"),
})
export type ReviewQuery = z.infer<typeof ReviewQuery>

export const ReviewDiff = FullDiff.extend({
  tip_commit: z.string().describe("Of the worktree's files, the commit that they build on"),
  commits: z.array(z.string()).describe("The short hash and subject of each, the newest first and at most 200"),
})
export type ReviewDiff = z.infer<typeof ReviewDiff>

export const DiffQuery = z.object({
  /** Against where the work and this branch parted, in place of where the work began. */
  compare_branch: BranchName.optional(),
  /** Only this file, by its new path: with hunks even where it is marked as too large. */
  path: z.string().min(1).optional(),
})
export type DiffQuery = z.infer<typeof DiffQuery>
