import { anyOf, higher } from "../../protections.ts"
import type { Budget, WorkBudget } from "./schema.ts"

/** Compares an owner's budgets. Raising or removing a limit loosens a budget. */
export const loosensBudget = anyOf<Budget>({
  ...{ day_usd: higher, month_usd: higher, day_tokens: higher, month_tokens: higher },
})

/** Compares budgets of a session or run. */
export const loosensWorkBudget = anyOf<WorkBudget>({ usd: higher, tokens: higher, minutes: higher })
