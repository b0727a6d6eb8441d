import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import { looseningRefused, type ProtectedOptions } from "../../protections.ts"
import type { SessionState } from "../../state.ts"
import { isTask } from "../../work/runs/kinds.ts"
import { runEnded } from "../../work/runs/rules.ts"
import { isEnded, runOf } from "../../work/runs/state.ts"
import { waking } from "../../work/runs/waking.ts"
import { loosensWorkBudget } from "./loosens-budget.ts"
import { unpricedLimit } from "./require-price.ts"
import { noWorkBudget, type WorkBudgetChange } from "./schema.ts"

/** Changes a session's budget. Waiting runs continue, and ask again if the budget is still used up. */
export function setSessionBudget(change: WorkBudgetChange, by: Pick<ProtectedOptions, "mayLoosen">): Rule {
  return waking((state) => {
    const before = state.budgets.session ?? noWorkBudget
    const budget = { ...before, ...change }
    const refused = loosensWorkBudget(before, budget) && looseningRefused("the session's budget", by)
    if (refused) return refused
    return [{ type: "budget_set", scope: "session", ...budget }, ...withdrawals(state)]
  })
}

/** Changes the budget of an active run. */
export function setRunBudget(runId: string, change: WorkBudgetChange, by: Pick<ProtectedOptions, "mayLoosen">): Rule {
  return waking((state) => {
    const run = runOf(state, runId)
    if (!run) return new AppError("run_not_found", "There is no such run.", { run_id: runId })
    if (isEnded(run)) return runEnded(run)
    const unpriced = isTask(run) ? undefined : unpricedLimit(run.model, change)
    if (unpriced) return unpriced
    const about = { run_id: runId, agent_id: run.agentId }
    const before = state.budgets.runs[runId] ?? noWorkBudget
    const budget = { ...before, ...change }
    const refused = loosensWorkBudget(before, budget) && looseningRefused("the run's budget", by)
    if (refused) return refused
    return [{ type: "budget_set", ...about, scope: "run", ...budget }, ...withdrawals(state, runId)]
  })
}

/** Withdraws the questions about the budget of the session or a run, because their amounts are out of date. */
function withdrawals({ questions }: SessionState, ofRun?: string): NewEvent[] {
  const isMeant = ofRun === undefined ? "session" : "run"
  return questions.waiting
    .filter(({ budget, runId }) => budget === isMeant && (ofRun === undefined || runId === ofRun))
    .map(({ questionId, runId: run_id, agentId: agent_id }) => ({
      ...{ type: "question_withdrawn", run_id, agent_id, question_id: questionId },
      reason: "The budget was changed.",
    }))
}
