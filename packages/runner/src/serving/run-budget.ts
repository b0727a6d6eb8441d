import type { OwnerBudget } from "@switchyard/core/people/budget/owner-budget"
import { hasWorkBudget } from "@switchyard/core/people/budget/work-status"
import { type RunContext, RunParked } from "@switchyard/core/work/runs/run-context"
import type { RunBudget } from "../agents/turn.ts"

/**
 * Opens the budgets that apply to a run. The session log contains the run's and the session's budgets. `owner` looks up
 * the owner's budget.
 */
export function openRunBudget(
  {
    runId,
    signal,
    catchUp,
    requireBudget,
  }: Pick<RunContext<unknown>, "runId" | "signal" | "catchUp" | "requireBudget">,
  owner: Pick<OwnerBudget, "isSet">,
): RunBudget {
  return {
    isSet: async () => hasWorkBudget(await catchUp(), runId) || (await owner.isSet(runId, { signal })),
    async findReached() {
      try {
        await requireBudget()
        return undefined
      } catch (error) {
        if (error instanceof RunParked) return error
        throw error
      }
    },
  }
}
