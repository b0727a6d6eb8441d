import * as z from "zod"
import { AppError } from "../../errors.ts"
import { RequestImages } from "../../files/images/schema.ts"
import { pathProblem } from "../../files/workspaces/path.ts"
import { InitialBudget } from "../../people/budget/schema.ts"
import { formatCount } from "../../text/format.ts"
import { charLimit } from "../../text/text-limits-schema.ts"
import { PageElements } from "./elements-schema.ts"
import { checkMutablePrompts } from "./prompts/mutable-prompts.ts"
import type { WorkflowInput } from "./schema.ts"

/** A prompt must not contain lone surrogates, because UTF-8 can't encode them. */
const Text = z.string().refine((text) => text.isWellFormed(), "Invalid Unicode")

/**
 * Request body for running the workflow. Null fields count as absent. Further validation is done by `checkRunRequest`.
 */
export const RunRequest = z
  .object({
    user_prompt: Text.min(1)
      .max(...charLimit("prompt"))
      .describe("What to build"),
    images: RequestImages.nullish(),
    elements: PageElements.nullish(),
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
 * Returns the input of the requested run. Throws `invalid_request` for the following problems, checked in this order: a
 * blank prompt, unknown nodes, texts that are too long, an element with an invalid file path, and an element whose
 * picture isn't among the images.
 */
export function checkRunRequest(request: RunRequest): WorkflowInput {
  const { user_prompt, recursion_limit } = request
  if (user_prompt.trim() === "") throw new AppError("invalid_request", "user_prompt must not be blank.")
  const mutable_prompt = request.mutable_prompt ?? undefined
  const prompt_overrides = request.prompt_overrides ?? {}
  checkMutablePrompts({ mutable_prompt, prompt_overrides })
  const review = request.review ?? undefined
  const allow_test_changes = request.allow_test_changes ?? undefined
  const elements = request.elements?.length ? request.elements : undefined
  for (const { file } of elements ?? []) if (file !== undefined) checkFile(file)
  checkPictures(elements, request.images?.length ?? 0)
  return { user_prompt, elements, mutable_prompt, prompt_overrides, recursion_limit, review, allow_test_changes }
}

function checkPictures(elements: PageElements | undefined, images: number): void {
  const missing = elements?.find(({ image }) => image !== undefined && image > images)?.image
  if (missing === undefined) return
  const message = `An element's picture is image ${missing}, but the request has ${formatCount(images, "image")}.`
  throw new AppError("invalid_request", `${message} Send the picture, or leave the number out.`, { image: missing })
}

/** The path must be valid, because models read it outside of the fence around the element's other fields. */
function checkFile(path: string): void {
  const fault = pathProblem(path)
  if (fault)
    throw new AppError("invalid_request", `The path of an element's file ${fault}.`, { path: path.slice(0, 256) })
}
