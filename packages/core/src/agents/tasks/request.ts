import type * as z from "zod"
import { AppError } from "../../errors.ts"
import { RunKind } from "../../work/runs/kinds.ts"
import { RunRequest } from "../../work/workflow/request.ts"
import { type AgentFields, agentFields, Repository } from "./schema.ts"

/** A run of either kind, as a pipeline asks for it. What only the other kind knows is passed over. */
export const NewRunRequest = RunRequest.extend({
  kind: RunKind.extract(["workflow", "agent"]).default("workflow"),
  repository: Repository.nullish().describe("Where an agent works; else the session's repository, else its own files"),
  ...agentFields,
  coding_agent: agentFields.coding_agent
    .nullish()
    .describe("Of an agent's run: who does it; else the one that is preferred in the repository"),
}).meta({ id: "RunRequest" })
export type NewRunRequest = z.infer<typeof NewRunRequest>

/** The task of an agent, from the fields that all runs have. Throws `invalid_request` where that isn't enough. */
export function taskInRequest(request: NewRunRequest): AgentFields & { task: string; repository: string | undefined } {
  const { user_prompt: task, repository, coding_agent, ...asked } = request
  if (task.trim() === "") throw new AppError("invalid_request", "user_prompt must not be blank.")
  const coding_model = asked.coding_model ?? asked.model
  return { ...asked, task, repository: repository ?? undefined, coding_agent, coding_model }
}
