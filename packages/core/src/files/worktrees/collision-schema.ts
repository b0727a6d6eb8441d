import * as z from "zod"
import { WorktreeName } from "./names-schema.ts"

/** Files that would conflict if the last saves of two worktrees were merged. */
export const Collision = z
  .object({
    worktrees: z.array(WorktreeName).length(2),
    files: z.array(z.string()).describe("First hundred files"),
    file_count: z.int().nonnegative(),
    as_of: z.iso.datetime(),
  })
  .meta({ id: "Collision" })
export type Collision = z.infer<typeof Collision>
