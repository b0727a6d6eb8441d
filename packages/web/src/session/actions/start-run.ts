import type { Run } from "@switchyard/core/work/runs/schema"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import type { Api } from "../../api/client.ts"

export interface RunRequest {
  prompt: string
  /** The session to continue; null for a new one. */
  sessionId: string | null
  overrides: Partial<Record<NodeName, string>>
}

const schema = async () => (await import("@switchyard/core/work/runs/schema")).Run

/** Starts a run. A retry after a lost response has the same idempotency key. */
export function startRun(api: Api, { prompt, sessionId, overrides }: RunRequest): Promise<Run> {
  const body = { user_prompt: prompt, workspace_id: sessionId, prompt_overrides: overrides }
  const idempotencyKey = crypto.randomUUID()
  return again(() => api.call("POST /v1/runs", { body, idempotencyKey, response: schema }))
}

/** Starts the run that goes on with the plan of one that failed. Retried as above. */
export function resumeRun(api: Api, runId: string): Promise<Run> {
  const idempotencyKey = crypto.randomUUID()
  const path = { id: runId }
  return again(() => api.call("POST /v1/runs/{id}/resume", { path, idempotencyKey, response: schema }))
}

function again(send: () => Promise<Run>): Promise<Run> {
  return send().catch((error) => {
    if (error.status !== 0) throw error
    return send()
  })
}
