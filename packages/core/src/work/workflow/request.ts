import * as z from "zod"
import { AppError } from "../../errors.ts"
import { InitialBudget } from "../../people/budget/schema.ts"
import { charLimit } from "../../text/text-limits-schema.ts"
import { checkMutablePrompts } from "./prompts/mutable-prompts.ts"
import type { WorkflowInput } from "./schema.ts"

/** Lone surrogates can't be stored unchanged, so prompts must not contain any. */
const Text = z.string().refine((text) => text.isWellFormed(), "Invalid Unicode")

/** Request body for running the workflow. Null counts as absent. `checkRunRequest` validates the rest. */
export const RunRequest = z
  .object({
    user_prompt: Text.min(1)
      .max(...charLimit("prompt"))
      .describe("What to build"),
    api_key: z
      .string()
      .min(1)
      .nullish()
      .describe("Key for the model's provider; defaults to the X-API-KEY header, or the server's key"),
    mutable_prompt: Text.nullish().describe("Replaces the mutable layer of every node without an override"),
    prompt_overrides: z
      .record(z.string(), Text)
      .nullish()
      .describe("Replaces the mutable layer of the planner, the architect or the coder"),
    workspace_id: z.string().nullish().describe("Workspace ID; defaults to the query or the X-Workspace-ID header"),
    model: z.string().nullish().describe("provider/model; defaults to the server's"),
    check: z
      .boolean()
      .nullish()
      .describe("Install, test and start the project before the run ends; by default, if that is allowed"),
    review: z
      .boolean()
      .nullish()
      .describe("Compare the files with the request in a final model call; defaults to WORKFLOW_REVIEW"),
    allow_test_changes: z
      .boolean()
      .nullish()
      .describe(
        "Whether existing tests may be changed or deleted; defaults to the setting of the session or its repository",
      ),
    budget: InitialBudget,
    recursion_limit: z.int().min(1).max(1000).default(100).describe("Maximum number of node visits in a run"),
  })
  .meta({ id: "WorkflowRequest" })
export type RunRequest = z.infer<typeof RunRequest>

/**
 * Returns the input for a requested run. Throws `invalid_request` for, in this order, a blank prompt, unknown nodes, or
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
