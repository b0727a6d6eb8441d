import type { SessionState } from "../../state.ts"
import { budgetStatus } from "../../work/usage/spent.ts"
import { spentInRun, spentInSession } from "../../work/usage/state.ts"
import { type BudgetScope, noWorkBudget, type WorkBudgetStatus } from "./schema.ts"

/** The budget of a session, or of one of its runs, with the part of it that is used by now. */
export function workBudgetStatus(state: SessionState, runId?: string): WorkBudgetStatus {
  const budget = (runId === undefined ? state.budgets.session : state.budgets.runs[runId]) ?? noWorkBudget
  return budgetStatus(budget, runId === undefined ? spentInSession(state.usage) : spentInRun(state.usage, runId))
}

/** Whether a run counts for a budget: its own, or its session's. */
export function hasWorkBudget({ budgets }: SessionState, runId: string): boolean {
  const all = [budgets.session, budgets.runs[runId]]
  return all.some((budget) => budget && [budget.usd, budget.tokens, budget.minutes].some((limit) => limit !== null))
}

/** The budget that keeps a run from its next call of a model: its own before its session's. */
export function reachedBudget(
  state: SessionState,
  runId: string,
): (WorkBudgetStatus & { scope: BudgetScope }) | undefined {
  const own = workBudgetStatus(state, runId)
  if (own.reached) return { ...own, scope: "run" }
  const whole = workBudgetStatus(state)
  return whole.reached ? { ...whole, scope: "session" } : undefined
}
