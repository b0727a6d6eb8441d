import * as z from "zod"
import { AppError } from "../../errors.ts"
import { InitialBudget } from "../../people/budget/schema.ts"
import { charLimit } from "../../text/text-limits-schema.ts"
import { checkMutablePrompts } from "./prompts/mutable-prompts.ts"
import type { WorkflowInput } from "./schema.ts"

/** A lone surrogate can't be stored unchanged, so prompts must not contain one. */
const Text = z.string().refine((text) => text.isWellFormed(), "Invalid Unicode")

/** Body of a request to run the workflow. Null counts as absent. `checkRunRequest` validates the rest. */
export const RunRequest = z
  .object({
    user_prompt: Text.min(1)
      .max(...charLimit("prompt"))
      .describe("What to build"),
    api_key: z
      .string()
      .min(1)
      .nullish()
      .describe("Key of the model's provider; by default the X-API-KEY header, or the server's key"),
    mutable_prompt: Text.nullish().describe("Replaces the mutable layer of every node that has no override"),
    prompt_overrides: z
      .record(z.string(), Text)
      .nullish()
      .describe("Replaces the mutable layer of the planner, the architect or the coder"),
    workspace_id: z.string().nullish().describe("Workspace id; by default from the query or the X-Workspace-ID header"),
    model: z.string().nullish().describe("provider/model; by default the server's"),
    check: z
      .boolean()
      .nullish()
      .describe("Install, test and start the project before the run ends; by default if that is allowed"),
    review: z
      .boolean()
      .nullish()
      .describe("Compare the files with the request in a last call; by default as WORKFLOW_REVIEW is set"),
    allow_test_changes: z
      .boolean()
      .nullish()
      .describe("Existing tests may be changed or deleted; by default as set for the session or its repository"),
    budget: InitialBudget,
    recursion_limit: z.int().min(1).max(1000).default(100).describe("Maximum node visits of a run"),
  })
  .meta({ id: "WorkflowRequest" })
export type RunRequest = z.infer<typeof RunRequest>

/**
 * Returns the input of a requested run. Throws `invalid_request`: for a blank prompt first, then unknown nodes, then
 * texts that are too long.
 */
export function checkRunRequest(request: RunRequest): WorkflowInput {
  const { user_prompt, recursion_limit } = request
  if (user_prompt.trim() === "") throw new AppError("invalid_request", "user_prompt must not be blank.")
  const mutable_prompt = request.mutable_prompt ?? undefined
  const prompt_overrides = request.prompt_overrides ?? {}
  checkMutablePrompts({ mutable_prompt, prompt_overrides })
  const review = request.review ?? undefined
  const allow_test_changes = request.allow_test_changes ?? undefined
  return { user_prompt, mutable_prompt, prompt_overrides, recursion_limit, review, allow_test_changes }
}
