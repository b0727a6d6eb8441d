import type * as z from "zod"
import { AppError } from "../../errors.ts"
import { RunKind } from "../../work/runs/kinds.ts"
import { RunRequest } from "../../work/workflow/request.ts"
import { type AgentFields, agentFields, Repository } from "./schema.ts"

/** Run request of either kind, as sent by pipelines. Fields that belong only to the other kind are ignored. */
export const NewRunRequest = RunRequest.extend({
  kind: RunKind.extract(["workflow", "agent"]).default("workflow"),
  repository: Repository.nullish().describe(
    "Repository that an agent works in; defaults to the session's repository, or else its own files",
  ),
  ...agentFields,
  coding_agent: agentFields.coding_agent
    .nullish()
    .describe("Agent for an agent run; defaults to the repository's preferred agent"),
}).meta({ id: "RunRequest" })
export type NewRunRequest = z.infer<typeof NewRunRequest>

/**
 * Returns an agent's task, based on the fields that all runs share. Throws `invalid_request` if the task is incomplete.
 */
export function taskInRequest(request: NewRunRequest): AgentFields & { task: string; repository: string | undefined } {
  const { user_prompt: task, repository, coding_agent, ...asked } = request
  if (task.trim() === "") throw new AppError("invalid_request", "user_prompt must not be blank.")
  if (request.images?.length)
    throw new AppError(
      "invalid_request",
      "An agent can't receive `images`. Upload them, and name them in `screenshots`.",
    )
  const coding_model = asked.coding_model ?? asked.model
  return { ...asked, task, repository: repository ?? undefined, coding_agent, coding_model }
}
