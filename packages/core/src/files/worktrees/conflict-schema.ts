import * as z from "zod"
import { DiffMark } from "./diff-schema.ts"

/** A merge or update with unresolved conflicts. */
export const PendingMerge = z
  .object({
    /** `merge` merges the work into the target branch, and `update` merges the target branch into the work. */
    direction: z.enum(["merge", "update"]),
    target_branch: z.string(),
    files: z.int().nonnegative(),
    unresolved: z.int().nonnegative(),
  })
  .meta({ id: "PendingMerge" })
export type PendingMerge = z.infer<typeof PendingMerge>

/** One side's version of a conflicting file. */
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
  /** Deleted in the merge target, but changed on the other side. */
  "deleted_by_ours",
  "deleted_by_theirs",
  /** Absent at this path on both sides, because the two sides renamed the file differently. */
  "deleted_by_both",
  /**
   * Exists at this path on one side only. The other side has the file at another path, or has another object at this
   * path.
   */
  "added_by_ours",
  "added_by_theirs",
])
export type ConflictKind = z.infer<typeof ConflictKind>

/** A region that was changed on both sides, as lines without newlines, with a few lines of context. */
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

/** A file with conflicts. `ours` is the merge target, and `theirs` is merged into it. */
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
    /** Paths of other conflicts that were caused by the same rename. */
    related: z.array(z.string()),
    /**
     * Regions in conflict. Empty if the file can't be merged as text. Such a file is resolved by choosing a side or by
     * providing the content.
     */
    hunks: z.array(ConflictHunk),
    /** Complete texts, which are set only if this file is requested alone. `merged` contains git's conflict markers. */
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
    /** Git's human-readable messages about the conflicts. */
    notes: z.array(z.string()),
    files: z.array(ConflictFile),
    /** False if there are more conflicts than are listed. */
    complete: z.boolean(),
  })
  .meta({ id: "Conflicts" })
export type Conflicts = z.infer<typeof Conflicts>
