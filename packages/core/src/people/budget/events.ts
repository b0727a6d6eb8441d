import { event } from "../../kernel/define-event.ts"
import { BudgetScope, WorkBudget } from "./schema.ts"

/** Events about the budgets of a session and its runs. */
export const budgetEvents = [
  event("budget_set", "A person set the budget of the session or of a run.", {
    scope: BudgetScope,
    ...WorkBudget.shape,
  }),
] as const
