import type { SessionState } from "../../state.ts"
import { budgetStatus } from "../../work/usage/spent.ts"
import { spentInRun, spentInSession } from "../../work/usage/state.ts"
import { type BudgetScope, noWorkBudget, type WorkBudgetStatus } from "./schema.ts"

/** Returns the budget of a session or run, with the amounts used so far. */
export function workBudgetStatus(state: SessionState, runId?: string): WorkBudgetStatus {
  const budget = (runId === undefined ? state.budgets.session : state.budgets.runs[runId]) ?? noWorkBudget
  return budgetStatus(budget, runId === undefined ? spentInSession(state.usage) : spentInRun(state.usage, runId))
}

/** True if the run or its session has a budget. */
export function hasWorkBudget({ budgets }: SessionState, runId: string): boolean {
  const all = [budgets.session, budgets.runs[runId]]
  return all.some((budget) => budget && [budget.usd, budget.tokens, budget.minutes].some((limit) => limit !== null))
}

/** Returns the budget that prevents a run's next model call. The run's own budget is checked before its session's. */
export function reachedBudget(
  state: SessionState,
  runId: string,
): (WorkBudgetStatus & { scope: BudgetScope }) | undefined {
  const own = workBudgetStatus(state, runId)
  if (own.reached) return { ...own, scope: "run" }
  const whole = workBudgetStatus(state)
  return whole.reached ? { ...whole, scope: "session" } : undefined
}
