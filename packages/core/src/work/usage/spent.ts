import type { WorkBudget, WorkBudgetStatus } from "../../people/budget/schema.ts"
import { costOf } from "./cost.ts"
import { totalOf } from "./counts.ts"
import type { UsageRow } from "./schema.ts"

const MINUTE_MS = 60_000

/** Usage and working time of a session or of some of its runs. */
export interface Spent {
  rows: readonly UsageRow[]
  workedMs: number
}

/** Returns a budget with the amounts used so far. */
export function budgetStatus(budget: WorkBudget, { rows, workedMs }: Spent): WorkBudgetStatus {
  const used = { ...spentIn(rows), minutes: workedMs / MINUTE_MS }
  return { ...budget, used, reached: reachedOf(budget, used) }
}

/** Returns the cost and the number of tokens in these rows. The cost is null if no price is known. */
export function spentIn(rows: readonly UsageRow[]): Omit<WorkBudgetStatus["used"], "minutes"> {
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
