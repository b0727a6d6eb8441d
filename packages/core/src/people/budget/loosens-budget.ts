import { anyOf, higher } from "../../protections.ts"
import type { Budget, WorkBudget } from "./schema.ts"

/** Comparison of an owner's budgets: a higher limit, or none, weakens one. */
export const loosensBudget = anyOf<Budget>({
  ...{ day_usd: higher, month_usd: higher, day_tokens: higher, month_tokens: higher },
})

/** Comparison of the budgets of a session or a run. */
export const loosensWorkBudget = anyOf<WorkBudget>({ usd: higher, tokens: higher, minutes: higher })
