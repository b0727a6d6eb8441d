import * as z from "zod"
import { FileAction } from "../schema.ts"

/** Plan in the form that the planner must return. Constrained decoding requires every key to be present. */
export const PlanAnswer = z.object({
  name: z.string().min(1),
  description: z.string(),
  techstack: z.string(),
  features: z.array(z.string()),
  files: z
    .array(
      z.object({
        path: z.string().min(1),
        action: FileAction,
        to: z.string().nullable().describe("The new path of a file that is renamed, else null"),
        purpose: z.string(),
        depends_on: z.array(z.string()).describe("Paths of planned files that must be written before this one"),
      }),
    )
    .min(1),
})

/** Tasks in the form that the architect must return. `parseTaskPlan` adds the plan. */
export const TaskPlanAnswer = z.object({
  implementation_steps: z.array(z.object({ file_path: z.string().min(1), task_description: z.string() })).min(1),
})

/** A string. Lists of strings are joined. */
export const TextOrList = z.union([z.string(), z.array(z.string()).transform((texts) => texts.join(", "))])

/** A list of strings. A single string is split into lines. */
const ListOrText = z.union([
  z.array(z.string()),
  z.string().transform((text) => text.split("\n").filter((line) => line.trim() !== "")),
])

/** A planned file as models write it without constrained decoding. */
export const LooseFile = z.object({
  path: z.string().min(1),
  purpose: TextOrList.default(""),
  action: FileAction.optional().catch(undefined),
  to: z.string().nullish().catch(undefined),
  depends_on: z.array(z.string()).optional().catch(undefined),
})

export const LoosePlan = z.object({
  name: z.string().min(1),
  description: TextOrList.default(""),
  techstack: TextOrList.default(""),
  features: ListOrText.default([]),
  files: z.array(LooseFile).min(1),
})

/** The architect's answer. Some models omit the object around the list. */
export const LooseTaskPlan = z.preprocess(
  (answer) => (Array.isArray(answer) ? { implementation_steps: answer } : answer),
  z.object({
    implementation_steps: z.array(z.object({ file_path: z.string().min(1), task_description: TextOrList })),
  }),
)
