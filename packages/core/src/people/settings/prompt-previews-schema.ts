import * as z from "zod"

/** Prompts for agents. Placeholders replace the parts that depend on the task. */
export const PromptPreviews = z
  .object({
    coding: z.string().describe("Prompt for a task, with {task}. `override_prompt` replaces it"),
    verification: z.string().describe("Prompt for a reviewer, with {task}, {summary}, {commit} and {diff}"),
  })
  .meta({ id: "PromptPreviews" })
export type PromptPreviews = z.infer<typeof PromptPreviews>
