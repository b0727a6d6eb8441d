import { needsConsent } from "../../api/client.ts"
import { anything } from "../../api/decode.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { useAttempt } from "../../ui/use-attempt.ts"

export interface TrainRequest {
  worktrees: string[]
  checks: boolean
  delete_worktrees: boolean
}

/** Returns actions on a session's merge queue, and the failure of the last action. Their effects appear in the log. */
export function useTrain() {
  const { sessionId, api } = useShownSession()
  const { attempt, busy, error, message } = useAttempt()
  /** True if the user must first consent to checks running what was built. */
  const asksConsent = needsConsent(error)
  return {
    busy,
    error: message,
    asksConsent,
    start: (request: TrainRequest) =>
      attempt(() =>
        api.call("POST /api/v1/sessions/{id}/merge-trains", {
          path: { id: sessionId },
          body: { ...request, consent: asksConsent },
          response: anything,
        }),
      ),
    stop: (runId: string) =>
      attempt(() => api.call("POST /v1/runs/{id}/cancel", { path: { id: runId }, response: anything })),
  }
}
