import * as z from "zod"
import { Plan, TaskPlan, WorkflowInput } from "./schema.ts"

/**
 * The state that the graph carries from node to node, and that every checkpoint holds. A file's content and a model's messages
 * live for one visit only: they are in the workspace and in the log, and would make each checkpoint as large as both.
 */
export const WorkflowState = WorkflowInput.omit({ recursion_limit: true }).extend({
  plan: Plan.optional(),
  detailed_ins: TaskPlan.optional(),
  coder_state: z.object({ current_step_idx: z.int().nonnegative() }).optional(),
  status: z.enum(["DONE"]).optional(),
})
export type WorkflowState = z.infer<typeof WorkflowState>
