import { noWorkBudget, type WorkBudgetChange, type WorkBudgetStatus } from "../../people/budget/schema.ts"
import type { SessionState } from "../../state.ts"
import { budgetStatus } from "../usage/spent.ts"
import { spentOnNode } from "../usage/state.ts"
import type { WorkNode } from "./state.ts"

/** Returns the remaining budget of a node, for its next run. Undefined if the node has no budget. */
export function budgetLeft(state: SessionState, node: WorkNode): WorkBudgetChange | undefined {
  if (node.budget === null) return undefined
  const { usd, tokens, minutes, used } = nodeBudget(state, node)
  const left = (limit: number | null, amount: number) => (limit === null ? null : Math.max(0, limit - amount))
  return { usd: left(usd, used.usd ?? 0), tokens: left(tokens, used.tokens), minutes: left(minutes, used.minutes) }
}

/** Returns a node's budget and its usage, including the usage of the node's earlier runs. */
export function nodeBudget({ usage }: SessionState, { nodeId, budget }: WorkNode): WorkBudgetStatus {
  return budgetStatus(budget ?? noWorkBudget, spentOnNode(usage, nodeId))
}
