import { event } from "../../kernel/define-event.ts"
import { BudgetScope, WorkBudget } from "./schema.ts"

/** The budgets of a session and of its runs. */
export const budgetEvents = [
  event("budget_set", "A person set the most that the session, or a run of it, may use.", {
    scope: BudgetScope,
    ...WorkBudget.shape,
  }),
] as const
