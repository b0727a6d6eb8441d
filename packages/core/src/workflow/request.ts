import * as z from "zod"
import { AppError } from "../errors.ts"
import { NodeName, type WorkflowInput } from "./schema.ts"

/** The body of a request to run the workflow. What it may not say beyond its shape, `checkRunRequest` tells. */
export const RunRequest = z.object({
  user_prompt: z.string().min(1).describe("What to build"),
  api_key: z
    .string()
    .min(1)
    .optional()
    .describe("Key of the model's provider; else the X-API-KEY header, else the server's"),
  mutable_prompt: z.string().optional().describe("Replaces the mutable layer of every node that has no override"),
  prompt_overrides: z
    .record(z.string(), z.string())
    .optional()
    .describe("Replaces the mutable layer of the planner, the architect or the coder"),
  workspace_id: z.string().optional(),
  model: z.string().optional().describe("provider/model; without it, the server's default"),
  recursion_limit: z.int().min(1).max(1000).default(100).describe("How many visits of nodes a run may take"),
})
export type RunRequest = z.infer<typeof RunRequest>

export const MAX_MUTABLE_PROMPT_CHARS = 4000

/** What a run is asked to do, or `invalid_request`: a blank prompt first, then unknown nodes, then texts that are too long. */
export function checkRunRequest(request: RunRequest): WorkflowInput {
  const { user_prompt, mutable_prompt, prompt_overrides = {}, recursion_limit } = request
  if (user_prompt.trim() === "") throw new AppError("invalid_request", "user_prompt must not be blank.")
  const overrides = checkNodes(prompt_overrides)
  checkLength("mutable_prompt", mutable_prompt ?? "")
  for (const node of NodeName.options) checkLength(`prompt_overrides.${node}`, overrides[node] ?? "")
  return { user_prompt, mutable_prompt, prompt_overrides: overrides, recursion_limit }
}

function checkNodes(overrides: Record<string, string>): Partial<Record<NodeName, string>> {
  const allowed: readonly string[] = NodeName.options
  const unknown = Object.keys(overrides)
    .filter((key) => !allowed.includes(key))
    .sort()
  if (unknown.length === 0) return overrides
  throw new AppError("invalid_request", `prompt_overrides has unknown keys: ${unknown.join(", ").slice(0, 500)}.`, {
    unknown: unknown.slice(0, 20),
    allowed,
  })
}

/** Counted in code points, as a person counts characters. */
function checkLength(source: string, text: string): void {
  const chars = [...text].length
  if (chars <= MAX_MUTABLE_PROMPT_CHARS) return
  throw new AppError("invalid_request", `${source} is longer than ${MAX_MUTABLE_PROMPT_CHARS} characters.`, {
    source,
    chars,
    max_chars: MAX_MUTABLE_PROMPT_CHARS,
  })
}
