import type { WorkBudgetChange } from "@switchyard/core/people/budget/schema"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import type { Api } from "../../api/client.ts"
import { type Decoded, object, text } from "../../api/decode.ts"

export interface RunRequest {
  prompt: string
  /** The session to continue; null for a new one. */
  sessionId: string | null
  overrides: Partial<Record<NodeName, string>>
  /** Null for the server's default. */
  model: string | null
  /** The key of the model's provider; null for the one that the server has. */
  modelKey: string | null
  /** The most that it may use. */
  budget?: WorkBudgetChange | undefined
}

/** The run that was accepted. Its session's log tells the rest. */
const StartedRun = object({ run_id: text, workspace_id: text })
type StartedRun = Decoded<typeof StartedRun>

/** Starts a run. A retry after a lost response has the same idempotency key. */
export function startRun(
  api: Api,
  { prompt, sessionId, overrides, model, modelKey, budget }: RunRequest,
): Promise<StartedRun> {
  const body = { user_prompt: prompt, workspace_id: sessionId, prompt_overrides: overrides, model, budget }
  const idempotencyKey = crypto.randomUUID()
  return again(() => api.call("POST /v1/runs", { body, idempotencyKey, modelKey, response: StartedRun }))
}

/** Starts the run that goes on with the plan of one that failed, by the current model. Retried as above. */
export function resumeRun(
  api: Api,
  runId: string,
  { model, modelKey }: Pick<RunRequest, "model" | "modelKey">,
): Promise<StartedRun> {
  const query = { model: model ?? undefined }
  const idempotencyKey = crypto.randomUUID()
  const path = { id: runId }
  return again(() =>
    api.call("POST /v1/runs/{id}/resume", { path, query, idempotencyKey, modelKey, response: StartedRun }),
  )
}

function again(send: () => Promise<StartedRun>): Promise<StartedRun> {
  return send().catch((error) => {
    if (error.status !== 0) throw error
    return send()
  })
}
