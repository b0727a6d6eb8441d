import * as z from "zod"
import { Plan, TaskPlan, WorkflowInput } from "../schema.ts"

/**
 * State of the graph, which is stored in every checkpoint. It excludes file contents and messages, because they would
 * make checkpoints large and are in the log and the workspace anyway. The coder's progress is read from the log.
 */
export const WorkflowState = WorkflowInput.omit({
  recursion_limit: true,
  resumes: true,
  check: true,
  review: true,
  allow_test_changes: true,
}).extend({
  plan: Plan.optional(),
  detailed_ins: TaskPlan.optional(),
  /** Files at the start of the run. Faults that these files already had aren't attributed to the run. */
  base: z.object({ version: z.int().nonnegative(), manifest: z.string().nullable() }).optional(),
  /** Files before the first repair, and at each check since then. */
  checked: z.array(z.object({ version: z.int().nonnegative(), manifest: z.string().nullable() })).optional(),
  /** Number of rounds so far in which faults were fixed. */
  mendings: z.int().nonnegative().optional(),
  /** Number of rounds so far in which failed checks were repaired. */
  rounds: z.int().nonnegative().optional(),
  /** Hash of the failures found in each round. */
  failures: z.array(z.string()).optional(),
  /** True once the coder has received the findings of the review. */
  reviewed: z.boolean().optional(),
  /** True once the coder has received the findings of the last look. */
  looked: z.boolean().optional(),
  status: z.enum(["DONE"]).optional(),
})
export type WorkflowState = z.infer<typeof WorkflowState>
