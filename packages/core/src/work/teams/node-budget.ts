import { noWorkBudget, type WorkBudgetChange, type WorkBudgetStatus } from "../../people/budget/schema.ts"
import type { SessionState } from "../../state.ts"
import { budgetStatus } from "../usage/spent.ts"
import { spentInRuns } from "../usage/state.ts"
import type { WorkNode } from "./state.ts"

/** The part of a node's budget that its runs so far have left, for the next one; undefined where it has none. */
export function budgetLeft(state: SessionState, node: WorkNode): WorkBudgetChange | undefined {
  if (node.budget === null) return undefined
  const { usd, tokens, minutes, used } = statusOf(state, node)
  const left = (limit: number | null, amount: number) => (limit === null ? null : Math.max(0, limit - amount))
  return { usd: left(usd, used.usd ?? 0), tokens: left(tokens, used.tokens), minutes: left(minutes, used.minutes) }
}

/** The budget of a node and what its runs used; null once some of them ended so long ago that only their session counts them. */
export function nodeBudget(state: SessionState, node: WorkNode): WorkBudgetStatus | null {
  const { runs, earlier } = state.usage
  const isKnown = earlier.length === 0 || node.runs.every(({ runId }) => Object.hasOwn(runs, runId))
  return isKnown ? statusOf(state, node) : null
}

function statusOf({ usage }: SessionState, { budget, runs, runsBeforeBudget }: WorkNode): WorkBudgetStatus {
  const counted = runs.slice(budget === null ? 0 : runsBeforeBudget).map(({ runId }) => runId)
  return budgetStatus(budget ?? noWorkBudget, spentInRuns(usage, counted))
}
