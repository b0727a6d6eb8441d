import type { Operations } from "@switchyard/client/operations"
import { BakeOff, BakeOffs, SettledBakeOff } from "@switchyard/core/work/bake-offs/schema"
import type { Requests, Waiting } from "./requests.ts"

const POLL_MS = 2000

/** Requests for comparisons of agents at the same task. */
export interface BakeOffRequests {
  /** Starts a bake-off. Retries start no second one. */
  startBakeOff(
    sessionId: string,
    asked: Operations["POST /api/v1/sessions/{id}/bake-offs"]["body"],
    options: Waiting & { idempotencyKey: string },
  ): Promise<BakeOff>
  /** Lists bake-offs, newest first. */
  bakeOffs(sessionId: string, options: Waiting): Promise<BakeOff[]>
  /** Returns the table when no entrant is at work. */
  bakeOffEnd(of: { sessionId: string; bakeOff: string }, options: Waiting): Promise<BakeOff>
  settleBakeOff(
    of: { sessionId: string; bakeOff: string },
    choice: Operations["POST /api/v1/sessions/{id}/bake-offs/{bake_off}/settle"]["body"],
    options: Waiting,
  ): Promise<SettledBakeOff>
}

export function createBakeOffRequests({ ask, clock }: Requests): BakeOffRequests {
  return {
    startBakeOff: (id, body, { idempotencyKey, signal }) =>
      ask("POST /api/v1/sessions/{id}/bake-offs", BakeOff, {
        ...{ path: { id }, headers: { "idempotency-key": idempotencyKey }, body, signal },
      }),

    bakeOffs: async (id, { signal }) =>
      (await ask("GET /api/v1/sessions/{id}/bake-offs", BakeOffs, { path: { id }, signal })).bake_offs,

    async bakeOffEnd({ sessionId: id, bakeOff: bake_off }, { signal }) {
      for (;;) {
        const path = { id, bake_off }
        const found = await ask("GET /api/v1/sessions/{id}/bake-offs/{bake_off}", BakeOff, { path, signal })
        if (found.status !== "running") return found
        await clock.sleep(POLL_MS, { signal })
      }
    },

    settleBakeOff: ({ sessionId: id, bakeOff: bake_off }, body, { signal }) =>
      ask("POST /api/v1/sessions/{id}/bake-offs/{bake_off}/settle", SettledBakeOff, {
        ...{ path: { id, bake_off }, body, signal },
      }),
  }
}
