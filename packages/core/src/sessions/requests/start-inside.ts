import { AppError } from "../../errors.ts"
import { createRuns, type RunsDeps } from "../../work/runs/runs.ts"
import type { StartInside } from "../../work/teams/team-context.ts"

/** Starts the nodes of teams, in their sessions and for their owners. */
export function createStartInside(deps: RunsDeps): StartInside {
  const runs = createRuns(deps)
  return async ({ runId }, run, options) => {
    const asking = await deps.index.get(runId, options)
    if (!asking) throw new AppError("run_not_found", "There is no such run.", { run_id: runId })
    const { owner, sid, session_id: sessionId } = asking
    await runs.start({ ...run, owner, sid, sessionId }, options)
  }
}
