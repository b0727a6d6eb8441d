import { isLive } from "../../kernel/state.ts"
import type { AfterRun } from "../../work/runs/reconcile.ts"
import { type CancelOptions, createRuns, type RunsDeps } from "../../work/runs/runs.ts"
import { runsToCancel } from "../../work/teams/runs-to-cancel.ts"

/**
 * Creates a function that cancels leftover runs: those of a team that ended or was stopped, or of a stage that ran out
 * of time. Any number of processes may call it repeatedly, because it only cancels a run that the team doesn't want.
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
