import { NodeName } from "@switchyard/core/work/workflow/schema"
import type { UseQueryResult } from "@tanstack/react-query"
import * as z from "zod"
import { useResponse } from "../../session/context/requests.ts"

const PromptSchema = z.object({
  nodes: z.record(NodeName, z.object({ immutable_prefix: z.string(), default_mutable: z.string() })),
  policy: z.object({ max_mutable_prompt_chars: z.int().positive(), immutable_rules: z.array(z.string()) }),
})
export type PromptSchema = z.infer<typeof PromptSchema>

/** Loads the server's prompts for the three nodes. */
export function usePromptSchema(): UseQueryResult<PromptSchema, Error> {
  return useResponse(["prompt-schema"], "GET /prompts/schema", { response: PromptSchema }, { staleTime: 5 * 60_000 })
}
