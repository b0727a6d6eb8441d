import * as z from "zod"
import { Plan, TaskPlan, WorkflowInput } from "../schema.ts"

/**
 * The graph's state, which every checkpoint contains. The coder's progress is read from the log. Files' contents and
 * messages are in the log and the workspace, and would make each checkpoint large.
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
  /** Files at the start of the run. Their faults are not the run's. */
  base: z.object({ version: z.int().nonnegative(), manifest: z.string().nullable() }).optional(),
  /** Files before any repair, and then at each check. */
  checked: z.array(z.object({ version: z.int().nonnegative(), manifest: z.string().nullable() })).optional(),
  /** Rounds of fixing faults. */
  mendings: z.int().nonnegative().optional(),
  /** Rounds of repairing check failures. */
  rounds: z.int().nonnegative().optional(),
  /** Failures of each of these checks, in the order of the rounds. */
  failures: z.array(z.string()).optional(),
  /** True once the coder received the findings of the review. */
  reviewed: z.boolean().optional(),
  status: z.enum(["DONE"]).optional(),
})
export type WorkflowState = z.infer<typeof WorkflowState>
