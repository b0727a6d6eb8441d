import type { WorkBudgetChange } from "@switchyard/core/people/budget/schema"
import type { PageElement } from "@switchyard/core/work/workflow/elements-schema"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import type { Api } from "../../api/client.ts"
import { type Decoded, object, text } from "../../api/decode.ts"

export interface RunRequest {
  prompt: string
  /** Images that belong to the prompt. */
  images?: { src: string; name: string }[]
  /** Elements of the app that the prompt is about. */
  elements?: readonly PageElement[]
  /** Session to continue; null for a new one. */
  sessionId: string | null
  overrides: Partial<Record<NodeName, string>>
  /** Null for the server's default. */
  model: string | null
  /** Key for the model's provider; null to use the server's. */
  modelKey: string | null
  /** Maximum that the run may use. */
  budget?: WorkBudgetChange | undefined
}

/** A run that was accepted. Everything else is in its session's log. */
const StartedRun = object({ run_id: text, workspace_id: text })
type StartedRun = Decoded<typeof StartedRun>

/** Starts a run. Retries after a lost response use the same idempotency key. */
export function startRun(
  api: Api,
  { prompt, images, elements, sessionId, overrides, model, modelKey, budget }: RunRequest,
): Promise<StartedRun> {
  const about = { workspace_id: sessionId, prompt_overrides: overrides, model, budget }
  const material = { ...(images?.length && { images }), ...(elements?.length && { elements: [...elements] }) }
  const body = { user_prompt: prompt, ...material, ...about }
  const idempotencyKey = crypto.randomUUID()
  return again(() => api.call("POST /v1/runs", { body, idempotencyKey, modelKey, response: StartedRun }))
}

/** Starts a run that continues a failed run's plan with the current model. Retried like `startRun`. */
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
