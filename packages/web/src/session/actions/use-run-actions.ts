import type { WorkBudgetChange } from "@switchyard/core/people/budget/schema"
import { useLocation } from "wouter"
import { anything } from "../../api/decode.ts"
import { useAttempt } from "../../ui/use-attempt.ts"
import { paths } from "../context/routes.ts"
import { useSessionsChanged } from "../list/use-sessions.ts"
import { useModel } from "../models/use-model.ts"
import { effectiveOverrides, readOverrides, saveOverrides } from "../preferences/prompt-overrides.ts"
import { useShownSession } from "../view/use-session.ts"
import { resumeRun, startRun } from "./start-run.ts"

/** Whether to continue with the existing files or start a new session. */
export type RunMode = "continue" | "fresh"

export interface RunActions {
  /** Resolves to true if the run was started. */
  start(mode: RunMode, prompt: string, budget?: WorkBudgetChange): Promise<boolean>
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
  const [, go] = useLocation()
  const changed = useSessionsChanged()
  const { attempt, busy, error } = useAttempt()

  const start = (mode: RunMode, prompt: string, budget?: WorkBudgetChange) =>
    attempt(async () => {
      const overrides = readOverrides(localStorage, id)
      const request = { prompt, budget, overrides: effectiveOverrides(overrides), ...requested() }
      const run = await startRun(api, { ...request, sessionId: mode === "continue" ? id : null })
      changed()
      if (run.workspace_id === id) return
      saveOverrides(localStorage, run.workspace_id, overrides)
      go(paths.run(run.workspace_id))
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
