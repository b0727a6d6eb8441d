import * as z from "zod"
import { ImageRef } from "../../files/images/schema.ts"
import { PageElement } from "./elements-schema.ts"
import { NODE_NAMES } from "./nodes.ts"

export const NodeName = z.enum(NODE_NAMES)
export type NodeName = z.infer<typeof NodeName>

/** Action for a planned file. */
export const FileAction = z.enum(["create", "change", "delete", "rename"])

const PlannedFile = z.object({
  path: z.string().min(1),
  purpose: z.string(),
  action: FileAction.optional(),
  to: z.string().optional().describe("New path, for a renamed file"),
  depends_on: z.array(z.string()).optional().describe("Planned files that must be written before this one"),
})
export type PlannedFile = z.infer<typeof PlannedFile>

export const Plan = z.object({
  name: z.string().min(1),
  description: z.string(),
  techstack: z.string(),
  features: z.array(z.string()),
  files: z.array(PlannedFile).min(1),
})
export type Plan = z.infer<typeof Plan>

export const ImplementationStep = z.object({ file_path: z.string().min(1), task_description: z.string() })
export type ImplementationStep = z.infer<typeof ImplementationStep>

/** The architect's tasks, one step per file. Preserves additional keys, such as `plan`. */
export const TaskPlan = z.looseObject({ implementation_steps: z.array(ImplementationStep).min(1) })
export type TaskPlan = z.infer<typeof TaskPlan>

/** An ended run in the same session. */
const EarlierRun = z.object({ run_id: z.string(), first_seq: z.int().positive() })

export const WorkflowInput = z.object({
  user_prompt: z.string(),
  images: z.array(ImageRef).optional().describe("Images that belong to the prompt"),
  elements: z.array(PageElement).optional().describe("Elements of the built app that the prompt is about"),
  mutable_prompt: z.string().optional(),
  prompt_overrides: z.partialRecord(NodeName, z.string()).optional(),
  recursion_limit: z.int().min(1).max(1000),
  review: z.boolean().optional().describe("Compare the files with the request before the run ends"),
  allow_test_changes: z.boolean().optional().describe("Whether existing tests may be changed or deleted"),
  check: z.boolean().optional().describe("Install, test and start the project before the run ends"),
  resumes: z.array(EarlierRun).optional().describe("Runs that this one continues, oldest first"),
})
export type WorkflowInput = z.infer<typeof WorkflowInput>

/** A requirement in the request that a file doesn't meet. */
export const ReviewFinding = z.object({ path: z.string(), message: z.string() })
export type ReviewFinding = z.infer<typeof ReviewFinding>

/** A test changed by a repair, with the reason for the change. */
export const ChangedTestReason = z.object({ path: z.string(), reason: z.string() })
export type ChangedTestReason = z.infer<typeof ChangedTestReason>

/** Result of a node's visit, and the run's progress after the visit. */
export const NodeUpdate = z.object({
  plan: Plan.optional(),
  task_plan: TaskPlan.optional(),
  file_path: z.string().optional(),
  failed: z.string().optional().describe("Why the model failed to write the file"),
  changed_files: z.array(z.string()).optional().describe("Files changed by a repair; empty if none"),
  changed_tests: z
    .array(ChangedTestReason)
    .optional()
    .describe("Tests changed by a repair, each with the model's reason"),
  not_repaired: z.string().optional().describe("Why a repair didn't change anything"),
  review: z.array(ReviewFinding).optional().describe("Missing requirements, if the visit was a review"),
  left_as_is: z.string().optional().describe("Why the coder left the file as it is"),
  current_step_idx: z.int().nonnegative().optional(),
  total_steps: z.int().nonnegative().optional(),
  planned_files: z.int().nonnegative().optional(),
  status: z.enum(["DONE"]).optional(),
})
export type NodeUpdate = z.infer<typeof NodeUpdate>
