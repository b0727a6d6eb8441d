import * as z from "zod"
import { SkippedFile } from "./checkpoint-schema.ts"

/** Query for the files of a worktree. If `since` is the manifest of an earlier snapshot, only changes are stored. */
export const SnapshotQuery = z.object({ since: z.string().nullable() })
export type SnapshotQuery = z.infer<typeof SnapshotQuery>

/** All files of a worktree at one point in time. They are stored like a version of the session's files. */
export const WorktreeSnapshot = z.object({
  manifest: z.string().describe("Hash of the manifest that lists them"),
  files: z.int().nonnegative(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  left_out: z.array(SkippedFile).describe("First hundred files that can't be stored"),
})
export type WorktreeSnapshot = z.infer<typeof WorktreeSnapshot>

/**
 * Files to write to a worktree and commit to its branch, either all or none. Their bytes are among the session's blobs.
 */
export const WriteFiles = z.object({
  message: z.string().min(1),
  reset: z
    .boolean()
    .optional()
    .describe("Instead of writing files, resets the worktree. Uncommitted changes are kept in a separate commit"),
  restores: z
    .boolean()
    .optional()
    .describe("True if a person restores earlier files, which may include read-only ones"),
  files: z.array(
    z.object({
      path: z.string(),
      sha256: z.string().nullable().describe("Null deletes the file"),
      if_sha256: z
        .string()
        .nullable()
        .describe("Writes only if the file still has this hash; null: only if there is no file"),
      executable: z
        .boolean()
        .optional()
        .describe("If omitted, an existing file keeps this bit, and a new file is created without it"),
    }),
  ),
})
export type WriteFiles = z.infer<typeof WriteFiles>

export const WrittenFiles = z.object({
  written_files: z.int().nonnegative(),
  commit: z.string().nullable().describe("Null if nothing changed"),
})
export type WrittenFiles = z.infer<typeof WrittenFiles>
