import * as z from "zod"
import { SkippedFile } from "./checkpoint-schema.ts"

/** Query for all files of a worktree. With `since`, the manifest of an earlier snapshot, only changes are stored. */
export const SnapshotQuery = z.object({ since: z.string().nullable() })
export type SnapshotQuery = z.infer<typeof SnapshotQuery>

/** All files of a worktree at one moment, stored like a version of the session's files. */
export const WorktreeSnapshot = z.object({
  manifest: z.string().describe("Hash of their manifest"),
  files: z.int().nonnegative(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  left_out: z.array(SkippedFile).describe("First hundred files that can't be stored"),
})
export type WorktreeSnapshot = z.infer<typeof WorktreeSnapshot>

/** Files to write to a worktree and commit to its branch, all or none. Their bytes are among the session's blobs. */
export const WriteFiles = z.object({
  message: z.string().min(1),
  reset: z
    .boolean()
    .optional()
    .describe("Instead of files: discards uncommitted changes, after committing them separately"),
  files: z.array(
    z.object({
      path: z.string(),
      sha256: z.string().nullable().describe("Null removes the file"),
      if_sha256: z.string().nullable().describe("Writes only over these bytes, or with null, only if there is no file"),
      executable: z
        .boolean()
        .optional()
        .describe("If omitted, an existing file keeps this bit, and a new file doesn't have it"),
    }),
  ),
})
export type WriteFiles = z.infer<typeof WriteFiles>

export const WrittenFiles = z.object({
  written_files: z.int().nonnegative(),
  commit: z.string().nullable().describe("Null if nothing changed"),
})
export type WrittenFiles = z.infer<typeof WrittenFiles>
