import * as z from "zod"
import { DiffMark } from "./diff-schema.ts"

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
