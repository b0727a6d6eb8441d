import type { SessionState } from "../../state.ts"
import { costOf } from "../../work/usage/cost.ts"
import { totalOf } from "../../work/usage/counts.ts"
import type { UsageRow } from "../../work/usage/schema.ts"
import { rowsOfRun, rowsOfSession, workedMsOf } from "../../work/usage/state.ts"
import {
  type BudgetScope,
  noWorkBudget,
  type WorkBudget,
  type WorkBudgetChange,
  type WorkBudgetStatus,
} from "./schema.ts"

const MINUTE_MS = 60_000

/** The budget of a session, or of one of its runs, with the part of it that is used by now. */
export function workBudgetStatus(state: SessionState, runId?: string): WorkBudgetStatus {
  const budget = (runId === undefined ? state.budgets.session : state.budgets.runs[runId]) ?? noWorkBudget
  const spent = spentOn(runId === undefined ? rowsOfSession(state.usage) : rowsOfRun(state.usage, runId))
  const workedMs = runId === undefined ? state.usage.workedMs : workedMsOf(state.usage, runId)
  const used = { ...spent, minutes: workedMs / MINUTE_MS }
  return { ...budget, used, reached: reachedOf(budget, used) }
}

/** Whether a run counts for a budget: its own, or its session's. */
export function hasWorkBudget({ budgets }: SessionState, runId: string): boolean {
  const all = [budgets.session, budgets.runs[runId]]
  return all.some((budget) => budget && isLimited(budget))
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

/** Whether a budget has any limit. */
function isLimited(budget: WorkBudgetChange): boolean {
  return [budget.usd, budget.tokens, budget.minutes].some((limit) => limit !== null && limit !== undefined)
}

function spentOn(rows: UsageRow[]): Omit<WorkBudgetStatus["used"], "minutes"> {
  const costs = rows.map(costOf)
  const known = costs.flatMap(({ usd }) => (usd === null ? [] : [usd]))
  const isComplete = costs.every((cost) => cost.isComplete)
  const usd = known.length === 0 && !isComplete ? null : known.reduce((sum, one) => sum + one, 0)
  const amounts = rows.map(({ tokens, estimated }) => totalOf(tokens) + estimated.input + estimated.output)
  return { usd, usd_is_complete: isComplete, tokens: amounts.reduce((sum, one) => sum + one, 0) }
}

function reachedOf({ usd, tokens, minutes }: WorkBudget, used: WorkBudgetStatus["used"]): WorkBudgetStatus["reached"] {
  if (usd !== null && (used.usd ?? 0) >= usd) return "usd"
  if (minutes !== null && used.minutes >= minutes) return "minutes"
  return tokens !== null && used.tokens >= tokens ? "tokens" : null
}
