import * as z from "zod"
import { Plan, TaskPlan, WorkflowInput } from "../schema.ts"

/**
 * The state that the graph carries from node to node, and that every checkpoint holds. How far the coder is, is read from the
 * log; a file's content and a model's messages are there and in the workspace, and would make each checkpoint as large as both.
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
  /** The files as they were when the run began: faults that they had are not the run's. */
  base: z.object({ version: z.int().nonnegative(), manifest: z.string().nullable() }).optional(),
  /** The files as the coder had written them, before any repair, and then as they were at each check. */
  checked: z.array(z.object({ version: z.int().nonnegative(), manifest: z.string().nullable() })).optional(),
  /** Rounds of mending that were begun. */
  mendings: z.int().nonnegative().optional(),
  /** Rounds of mending what a check showed that were begun. */
  rounds: z.int().nonnegative().optional(),
  /** The failures that each of these checks found, in the order of the rounds. */
  failures: z.array(z.string()).optional(),
  /** Whether what the review found was given back to the coder. */
  reviewed: z.boolean().optional(),
  status: z.enum(["DONE"]).optional(),
})
export type WorkflowState = z.infer<typeof WorkflowState>
