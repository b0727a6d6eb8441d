import * as z from "zod"
import { SkippedFile } from "./checkpoint-schema.ts"

/** A query for all files of a worktree. `since`: the manifest of an earlier snapshot, so that only what changed is stored. */
export const SnapshotQuery = z.object({ since: z.string().nullable() })
export type SnapshotQuery = z.infer<typeof SnapshotQuery>

/** All files of a worktree at one moment, stored like a version of the session's files. */
export const WorktreeSnapshot = z.object({
  manifest: z.string().describe("The hash of their manifest"),
  files: z.int().nonnegative(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  left_out: z.array(SkippedFile).describe("Files that can't be stored, the first hundred"),
})
export type WorktreeSnapshot = z.infer<typeof WorktreeSnapshot>

/** Files to write to a worktree, all or none of them, and to commit to its branch. Their bytes are among the session's blobs. */
export const WriteFiles = z.object({
  message: z.string().min(1),
  reset: z
    .boolean()
    .optional()
    .describe("Instead of files: take back what isn't committed, which is committed apart before"),
  files: z.array(
    z.object({
      path: z.string(),
      sha256: z.string().nullable().describe("Null for a file that is removed"),
      if_sha256: z.string().nullable().describe("Written only over these bytes, or, with null, where there is no file"),
      executable: z.boolean().optional().describe("Left out, a file keeps this bit, and a new one doesn't have it"),
    }),
  ),
})
export type WriteFiles = z.infer<typeof WriteFiles>

export const WrittenFiles = z.object({
  written_files: z.int().nonnegative(),
  commit: z.string().nullable().describe("Null where the files were that way already"),
})
export type WrittenFiles = z.infer<typeof WrittenFiles>
