import * as z from "zod"

/** The words that agents are told, with placeholders for what differs from task to task. */
export const PromptPreviews = z
  .object({
    coding: z.string().describe("Of a task: {task} stands for it. It is what `override_prompt` replaces"),
    verification: z.string().describe("Of an agent that reviews the work, with {task}, {summary}, {commit} and {diff}"),
  })
  .meta({ id: "PromptPreviews" })
export type PromptPreviews = z.infer<typeof PromptPreviews>
