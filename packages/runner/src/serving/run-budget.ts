import { hasWorkBudget } from "@switchyard/core/people/budget/work-status"
import { type RunContext, RunParked } from "@switchyard/core/work/runs/run-context"
import type { RunBudget } from "../agents/turn.ts"

/** The budgets of a run and its session, by the session's log. */
export function openRunBudget({
  runId,
  catchUp,
  requireBudget,
}: Pick<RunContext<unknown>, "runId" | "catchUp" | "requireBudget">): RunBudget {
  return {
    isSet: async () => hasWorkBudget(await catchUp(), runId),
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
