import { anything } from "../../api/decode.ts"
import { useAttempt } from "../../ui/use-attempt.ts"
import { useSessionsChanged } from "../list/use-sessions.ts"
import { useModel } from "../models/use-model.ts"
import { effectiveOverrides, readOverrides } from "../preferences/prompt-overrides.ts"
import { useShownSession } from "../view/use-session.ts"
import { type RunRequest, resumeRun, startRun } from "./start-run.ts"

/** Input for the next run. */
type NextRequest = Pick<RunRequest, "prompt" | "images" | "elements" | "budget">

export interface RunActions {
  /** Resolves to true if the run was started. */
  start(request: NextRequest): Promise<boolean>
  /** Continues the plan of a run that has ended. */
  resume(runId: string): void
  stop(): void
  starting: boolean
  /** Failure of the last action; null if it succeeded. */
  error: unknown
}

/** Actions on a session's runs, and their failures. Their effects appear in the log. */
export function useRunActions(): RunActions {
  const { sessionId: id, api } = useShownSession()
  const { requested } = useModel()
  const changed = useSessionsChanged()
  const { attempt, busy, error } = useAttempt()

  const start = (next: NextRequest) =>
    attempt(async () => {
      const overrides = effectiveOverrides(readOverrides(localStorage, id))
      await startRun(api, { ...next, overrides, ...requested(), sessionId: id })
      changed()
    })

  const resume = (runId: string) =>
    void attempt(async () => {
      await resumeRun(api, runId, requested())
      changed()
    })

  const stop = () =>
    void attempt(() => api.call("POST /api/v1/sessions/{id}/cancel", { path: { id }, response: anything }))

  return { start, resume, stop, starting: busy, error }
}
