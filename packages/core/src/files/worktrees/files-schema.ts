import * as z from "zod"

const MOST_FILES = 5000

/** Query for the paths of a worktree's files. */
export const FilesQuery = z.object({
  q: z
    .string()
    .max(400)
    .default("")
    .describe("Part of the path, or some of its letters in order; empty to match all paths"),
  limit: z.coerce.number().int().min(1).max(MOST_FILES).default(50),
})
export type FilesQuery = z.infer<typeof FilesQuery>

/** Paths of a worktree's files, which clients offer as completions in mentions. */
export const WorktreeFiles = z
  .object({
    files: z.array(z.string()).describe("Paths, best match first"),
    total: z.int().nonnegative().describe("Total number of files, including files that don't match"),
  })
  .meta({ id: "WorktreeFiles" })
export type WorktreeFiles = z.infer<typeof WorktreeFiles>
