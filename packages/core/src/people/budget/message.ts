import type { BudgetName, BudgetStatus } from "./schema.ts"

/** The sentence that says which limit of a budget is reached, and what to do. */
export function reachedMessage({ reached, ...budget }: BudgetStatus): string {
  if (!reached) return ""
  const { limit, resets_at } = reached
  const until = `${resets_at.slice(0, 10)}, 00:00 UTC`
  const most = budget[limit] ?? 0
  return `Your budget of ${amountOf(limit, most)} is used up. Raise it, or wait until ${until}.`
}

/** A limit with its period, such as "$5.00 a day". */
export function amountOf(limit: BudgetName, most: number): string {
  const period = limit.startsWith("day") ? "day" : "month"
  return limit.endsWith("usd")
    ? `$${most.toFixed(2)} a ${period}`
    : `${most.toLocaleString("en-US")} tokens a ${period}`
}
