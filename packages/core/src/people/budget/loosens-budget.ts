import { anyOf, higher } from "../../protections.ts"
import type { Budget, WorkBudget } from "./schema.ts"

/** True if a change loosens an owner's budget by raising or removing a limit. */
export const loosensBudget = anyOf<Budget>({
  ...{ day_usd: higher, month_usd: higher, day_tokens: higher, month_tokens: higher },
})

/** True if a change loosens the budget of a session or run. */
export const loosensWorkBudget = anyOf<WorkBudget>({ usd: higher, tokens: higher, minutes: higher })
