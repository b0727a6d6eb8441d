import * as z from "zod"

const MOST_FILES = 5000

/** A query for the paths of a worktree's files. */
export const FilesQuery = z.object({
  q: z
    .string()
    .max(400)
    .default("")
    .describe("A part of the path, or letters of it in their order; without it all fit"),
  limit: z.coerce.number().int().min(1).max(MOST_FILES).default(50),
})
export type FilesQuery = z.infer<typeof FilesQuery>

/** Paths of a worktree's files, as somebody would mention them. */
export const WorktreeFiles = z
  .object({
    files: z.array(z.string()).describe("Those that fit best first"),
    total: z.int().nonnegative().describe("The number of all files, whether they fit or not"),
  })
  .meta({ id: "WorktreeFiles" })
export type WorktreeFiles = z.infer<typeof WorktreeFiles>
