import { useState } from "react"
import { ApiError } from "../../api/client.ts"
import { anything } from "../../api/decode.ts"
import { errorText } from "../../api/error-text.ts"
import { useStudio } from "../../session/context/studio.ts"

export interface TrainRequest {
  worktrees: string[]
  checks: boolean
  delete_worktrees: boolean
}

/** The actions on a session's merge trains, and the failure of the last one. The log reports their effects. */
export function useTrain(sessionId: string) {
  const { api } = useStudio()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  /** Whether somebody has to agree first that checks may run what was built. */
  const [asksConsent, setAsksConsent] = useState(false)

  async function attempt(action: () => Promise<unknown>): Promise<void> {
    setBusy(true)
    setError(null)
    try {
      await action()
      setAsksConsent(false)
    } catch (failure) {
      setAsksConsent(failure instanceof ApiError && failure.code === "consent_required")
      setError(errorText(failure))
    } finally {
      setBusy(false)
    }
  }

  return {
    busy,
    error,
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
