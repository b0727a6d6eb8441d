import * as z from "zod"
import { event } from "../../kernel/define-event.ts"

export const checkEvents = [
  event("files_checked", "The files of a project were checked without running anything.", {
    file_count: z.int().nonnegative(),
    fault_count: z.int().nonnegative(),
    faults: z
      .array(z.object({ path: z.string(), line: z.int().positive().optional(), rule: z.string(), message: z.string() }))
      .describe("What is wrong, as far as the run has to do with it; at most 50"),
  }),
] as const
