import { AppError } from "../../errors.ts"
import type { StartCheck } from "../../work/gate/gate.ts"
import { createRuns, type RunsDeps } from "../../work/runs/runs.ts"

/** Creates a function that starts the checks requested by runs, in the same sessions and for the same owners. */
export function createStartCheck(deps: RunsDeps): StartCheck {
  const runs = createRuns(deps)
  return async ({ runId }, check, options) => {
    const asking = await deps.index.get(runId, options)
    if (!asking) throw new AppError("run_not_found", "There is no such run.", { run_id: runId })
    const { owner, sid, session_id: sessionId } = asking
    await runs.start({ ...check, owner, sid, sessionId, repeatable: true }, options)
  }
}
