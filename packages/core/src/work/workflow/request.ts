import * as z from "zod"
import { AppError } from "../../errors.ts"
import { InitialBudget } from "../../people/budget/schema.ts"
import { charLimit } from "../../text-limits-schema.ts"
import { checkMutablePrompts } from "./prompts/mutable-prompts.ts"
import type { WorkflowInput } from "./schema.ts"

/** A lone surrogate can't be stored unchanged, so prompts must not contain one. */
const Text = z.string().refine((text) => text.isWellFormed(), "Invalid Unicode")

/** The body of a request to run the workflow. Null counts as absent. `checkRunRequest` validates the rest. */
export const RunRequest = z
  .object({
    user_prompt: Text.min(1)
      .max(...charLimit("prompt"))
      .describe("What to build"),
    api_key: z
      .string()
      .min(1)
      .nullish()
      .describe("Key of the model's provider; else the X-API-KEY header, else the server's"),
    mutable_prompt: Text.nullish().describe("Replaces the mutable layer of every node that has no override"),
    prompt_overrides: z
      .record(z.string(), Text)
      .nullish()
      .describe("Replaces the mutable layer of the planner, the architect or the coder"),
    workspace_id: z.string().nullish().describe("The workspace; else the query's, else the X-Workspace-ID header"),
    model: z.string().nullish().describe("provider/model; without it, the server's default"),
    check: z
      .boolean()
      .nullish()
      .describe(
        "Whether what is built is installed, tested and started before the run ends; else where that is allowed",
      ),
    review: z
      .boolean()
      .nullish()
      .describe("Whether a last call compares the files with the request; else as WORKFLOW_REVIEW says"),
    allow_test_changes: z
      .boolean()
      .nullish()
      .describe(
        "Whether tests that were there before may be changed or deleted; else as the session or its repository is set",
      ),
    budget: InitialBudget,
    recursion_limit: z.int().min(1).max(1000).default(100).describe("How many visits of nodes a run may take"),
  })
  .meta({ id: "WorkflowRequest" })
export type RunRequest = z.infer<typeof RunRequest>

/** The input of the run that a request asks for. Throws `invalid_request`: for a blank prompt first, then unknown nodes, then texts that are too long. */
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
