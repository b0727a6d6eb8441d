import type { WorkBudgetChange } from "@switchyard/core/people/budget/schema"
import { useState } from "react"
import { useLocation } from "wouter"
import { anything } from "../../../api/decode.ts"
import { resumeRun, startRun } from "../../../session/actions/start-run.ts"
import { paths } from "../../../session/context/routes.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { useSessionsChanged } from "../../../session/list/use-sessions.ts"
import { useModel } from "../../../session/models/use-model.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { effectiveOverrides, readOverrides, saveOverrides } from "../../prompts/overrides.ts"

/** Continue with the existing files, or start a new session. */
export type RunMode = "continue" | "fresh"

export interface RunActions {
  /** Resolves to whether the run was started. */
  start(mode: RunMode, prompt: string, budget?: WorkBudgetChange): Promise<boolean>
  /** Goes on with the plan of a run that ended. */
  resume(runId: string): void
  stop(): void
  starting: boolean
  /** The failure of the last action; null where it did not fail. */
  error: unknown
}

/** The actions on a session's runs, and their failures. The log reports their effects. */
export function useRunActions(session: SessionStore): RunActions {
  const { api } = useStudio()
  const { requested } = useModel()
  const [, go] = useLocation()
  const changed = useSessionsChanged()
  const [starting, setStarting] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const id = session.sessionId

  const failed = (failure: unknown) => {
    setError(failure)
    return false
  }

  async function start(mode: RunMode, prompt: string, budget?: WorkBudgetChange): Promise<boolean> {
    setStarting(true)
    setError(null)
    try {
      const overrides = readOverrides(localStorage, id)
      const request = { prompt, budget, overrides: effectiveOverrides(overrides), ...requested() }
      const run = await startRun(api, { ...request, sessionId: mode === "continue" ? id : null })
      changed()
      if (run.workspace_id !== id) {
        saveOverrides(localStorage, run.workspace_id, overrides)
        go(paths.run(run.workspace_id))
      }
      return true
    } catch (failure) {
      return failed(failure)
    } finally {
      setStarting(false)
    }
  }

  async function resume(runId: string): Promise<void> {
    setStarting(true)
    setError(null)
    try {
      await resumeRun(api, runId, requested())
      changed()
    } catch (failure) {
      failed(failure)
    } finally {
      setStarting(false)
    }
  }

  function stop(): void {
    api.call("POST /api/v1/sessions/{id}/cancel", { path: { id }, response: anything }).catch(failed)
  }

  return { start, resume, stop, starting, error }
}
