import type { Operations } from "@switchyard/client/operations"
import type * as z from "zod"
import type { Requests, Waiting } from "./requests.ts"
import { EventPage, Run, RunList } from "./responses.ts"

export type RunInput = Operations["POST /v1/runs"]["body"]

/** Requests to start, follow and end runs. */
export interface RunRequests {
  /** Starts a run. Retries with the same idempotency key start no second one. */
  startRun(input: RunInput, options: Waiting & { idempotencyKey: string }): Promise<Run>
  /** Returns the run when it has ended, or after `waitSeconds`. */
  run(runId: string, options: Waiting & { waitSeconds?: number }): Promise<Run>
  runs(options: Waiting & { limit: number }): Promise<Run[]>
  cancelRun(runId: string, options: Waiting): Promise<Run>
  /** Resumes a run. Returns the same run if it was parked, else a new one. Retries start no second one. */
  resumeRun(runId: string, options: Waiting & { model?: string; idempotencyKey: string }): Promise<Run>
  eventsAfter(runId: string, since: number, options: Waiting): Promise<z.infer<typeof EventPage>>
}

export function createRunRequests({ ask }: Requests): RunRequests {
  return {
    startRun: (body, { idempotencyKey, signal }) =>
      ask("POST /v1/runs", Run, { body, headers: { "idempotency-key": idempotencyKey }, signal }),

    run: (runId, { waitSeconds = 0, signal }) =>
      ask("GET /v1/runs/{id}", Run, {
        path: { id: runId },
        query: { wait: waitSeconds || undefined },
        signal,
        waitMs: waitSeconds * 1000,
      }),

    runs: async ({ limit, signal }) => (await ask("GET /v1/runs", RunList, { query: { limit }, signal })).runs,

    cancelRun: (runId, { signal }) => ask("POST /v1/runs/{id}/cancel", Run, { path: { id: runId }, signal }),

    resumeRun: (runId, { model, idempotencyKey, signal }) =>
      ask("POST /v1/runs/{id}/resume", Run, {
        path: { id: runId },
        query: { model },
        headers: { "idempotency-key": idempotencyKey },
        signal,
      }),

    eventsAfter: (runId, since, { signal }) =>
      ask("GET /v1/runs/{id}/events", EventPage, {
        path: { id: runId },
        query: { since_seq: String(since) },
        headers: { accept: "application/json" },
        signal,
      }),
  }
}
