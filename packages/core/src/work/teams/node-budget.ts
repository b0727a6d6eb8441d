import type { WorkBudgetChange } from "../../people/budget/schema.ts"
import type { SessionState } from "../../state.ts"
import { costOf } from "../usage/cost.ts"
import { totalOf } from "../usage/counts.ts"
import { rowsOfRun, workedMsOf } from "../usage/state.ts"
import type { WorkNode } from "./state.ts"

/** The part of a node's budget that its runs so far have left, for the next one; undefined where it has none. */
export function budgetLeft(
  { usage }: SessionState,
  { budget, runs, runsBeforeBudget }: WorkNode,
): WorkBudgetChange | undefined {
  if (budget === null) return undefined
  const rows = runs.slice(runsBeforeBudget).flatMap(({ runId }) => rowsOfRun(usage, runId))
  const usd = rows.reduce((sum, row) => sum + (costOf(row).usd ?? 0), 0)
  const tokens = rows.reduce((sum, row) => sum + totalOf(row.tokens) + row.estimated.input + row.estimated.output, 0)
  const workedMs = runs.slice(runsBeforeBudget).reduce((sum, { runId }) => sum + workedMsOf(usage, runId), 0)
  const left = (limit: number | null, used: number) => (limit === null ? null : Math.max(0, limit - used))
  return {
    usd: left(budget.usd, usd),
    tokens: left(budget.tokens, tokens),
    minutes: left(budget.minutes, workedMs / 60_000),
  }
}
