import * as z from "zod"
import { WorktreeName } from "./names-schema.ts"

/** Files of two worktrees that would conflict, were the work in both merged as it was saved last. */
export const Collision = z
  .object({
    worktrees: z.array(WorktreeName).length(2),
    files: z.array(z.string()).describe("The first hundred"),
    file_count: z.int().nonnegative(),
    as_of: z.iso.datetime(),
  })
  .meta({ id: "Collision" })
export type Collision = z.infer<typeof Collision>
