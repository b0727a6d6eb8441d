import { isLive } from "../../kernel/state.ts"
import type { AfterRun } from "../../work/runs/reconcile.ts"
import { type CancelOptions, createRuns, type RunsDeps } from "../../work/runs/runs.ts"
import { runsToCancel } from "../../work/teams/runs-to-cancel.ts"

/**
 * Creates a function that cancels a team's leftover runs after the team has ended or was stopped, or after a stage ran
 * out of time. Several processes may call the function, and repeatedly, because it only cancels runs that the team no
 * longer wants.
 */
export function createSettleTeam(deps: RunsDeps): AfterRun {
  const runs = createRuns(deps)
  return async ({ state }, runId, options) => {
    const left = isLive(state) ? runsToCancel(state) : []
    const ref = left.length > 0 ? await deps.index.get(runId, options) : undefined
    if (!ref) return
    for (const { runId: unwanted, reason } of left) {
      const onlyIf: CancelOptions["onlyIf"] = (now) => runsToCancel(now).some((run) => run.runId === unwanted)
      await runs.cancel(ref.owner, unwanted, reason, { ...options, onlyIf })
    }
  }
}
