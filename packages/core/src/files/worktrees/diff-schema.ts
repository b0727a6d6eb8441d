import * as z from "zod"
import { BranchName } from "./names-schema.ts"

/** `no_newline` means that the file of the previous line ends there without a newline. */
export const DiffLine = z
  .object({
    type: z.enum(["context", "add", "delete", "no_newline"]),
    /** Without its newline; a carriage return before it is kept. */
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
    /** Text after the numbers, usually the function that contains the hunk. */
    section: z.string(),
    lines: z.array(DiffLine),
  })
  .meta({ id: "DiffHunk" })
export type DiffHunk = z.infer<typeof DiffHunk>

export const DiffMark = z.enum([
  /** Made by a tool: a lock file, a bundle, or a file marked as generated in `.gitattributes`. */
  "generated",
  /** Hunks are omitted unless the file is requested alone. */
  "too_large",
  /** Contains invalid UTF-8, shown as replacement characters. */
  "not_utf8",
])

/** One changed file without its hunks. Both paths are always set, and differ only after a rename or copy. */
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
    /** Git modes: `100644`, `100755`, `120000` for a link, `160000` for a submodule; null if there is no file. */
    old_mode: z.string().nullable(),
    new_mode: z.string().nullable(),
    /** Lines, or null for binary files. */
    additions: z.int().nonnegative().nullable(),
    deletions: z.int().nonnegative().nullable(),
    marks: z.array(DiffMark),
  })
  .meta({ id: "DiffEntry" })
export type DiffEntry = z.infer<typeof DiffEntry>

export const DiffFile = DiffEntry.extend({ hunks: z.array(DiffHunk) }).meta({ id: "DiffFile" })
export type DiffFile = z.infer<typeof DiffFile>

const diffTotals = {
  /** Text for people: `12 files changed, 214 insertions(+), 61 deletions(-)`, and the names of omitted files. */
  summary: z.string(),
  files_changed: z.int().nonnegative(),
  insertions: z.int().nonnegative(),
  deletions: z.int().nonnegative(),
  /** Commit or branch that the diff compares with. */
  base_commit: z.string(),
  /** False if more files changed than are listed. */
  complete: z.boolean(),
  /** Other worktrees inside the worktree, with a trailing slash, and files that git can't store. */
  left_out: z.array(z.string()),
}

/** File list, which a reader receives first. */
export const DiffSummary = z.object({ ...diffTotals, files: z.array(DiffEntry) }).meta({ id: "DiffSummary" })
export type DiffSummary = z.infer<typeof DiffSummary>

export const FullDiff = z.object({ ...diffTotals, files: z.array(DiffFile) }).meta({ id: "FullDiff" })
export type FullDiff = z.infer<typeof FullDiff>

/** Query for changes to review: from the merge base to `tip`, or to the worktree's current files. */
export const ReviewQuery = z.object({
  base: z.string().nullable().describe("Branch, tag or commit; null for the start of the work"),
  tip: z.string().nullable().describe("Branch, tag or commit; null for the worktree's files"),
})
export type ReviewQuery = z.infer<typeof ReviewQuery>

export const ReviewDiff = FullDiff.extend({
  tip_commit: z.string().describe("Commit of the tip; for the worktree's files, the commit that they build on"),
  commits: z.array(z.string()).describe("Short hash and subject of each commit, newest first, at most 200"),
})
export type ReviewDiff = z.infer<typeof ReviewDiff>

export const DiffQuery = z.object({
  /** Compares with the merge base of the work and this branch, instead of the start of the work. */
  compare_branch: BranchName.optional(),
  /** Only this file, by its new path. Includes hunks even if it is marked as too large. */
  path: z.string().min(1).optional(),
})
export type DiffQuery = z.infer<typeof DiffQuery>
