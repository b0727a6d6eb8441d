import { AppError } from "../../errors.ts"
import { isPriced, unpricedText } from "../../models/prices.ts"
import type { WorkBudgetChange } from "./schema.ts"

/** Throws `invalid_request` if a budget has a limit in dollars and the model has no known price. */
export function requirePrice(model: string, budget: WorkBudgetChange | null | undefined): void {
  const refused = unpricedLimit(model, budget)
  if (refused) throw refused
}

/** Returns the error for a limit in dollars if the model has no known price. Undefined if there is no such limit. */
export function unpricedLimit(model: string, budget: WorkBudgetChange | null | undefined): AppError | undefined {
  if (budget?.usd == null || isPriced(model)) return undefined
  return new AppError("invalid_request", unpricedText(model), { model, limit: "usd" })
}
