import * as z from "zod"
import { event } from "../../kernel/define-event.ts"

export const checkEvents = [
  event("files_checked", "A project's files were checked without running anything.", {
    file_count: z.int().nonnegative(),
    fault_count: z.int().nonnegative(),
    faults: z
      .array(z.object({ path: z.string(), line: z.int().positive().optional(), rule: z.string(), message: z.string() }))
      .describe("Faults relevant to the run; at most 50"),
  }),
  event("files_reviewed", "A model compared a project's files with the request.", {
    file_count: z.int().nonnegative(),
    finding_count: z.int().nonnegative(),
    findings: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .describe("Missing parts, for the coder to add; at most 5"),
    not_reviewed: z.string().optional().describe("Why there is no review, if the model failed"),
  }),
] as const
