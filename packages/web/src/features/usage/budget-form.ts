import type { WorkBudget } from "@switchyard/core/people/budget/schema"

/** The limits in a form. Daily and monthly budgets have none in minutes. */
type FormBudget = Pick<WorkBudget, "usd" | "tokens"> & Partial<Pick<WorkBudget, "minutes">>

/** Limits as typed. An empty field means no limit. */
export interface BudgetForm {
  usd: string
  tokens: string
  minutes?: string
}

export const blankBudget: BudgetForm = { usd: "", tokens: "", minutes: "" }

/** Returns a budget's form. It has a field for minutes only if such a limit is possible. */
export function toBudgetForm({ usd, tokens, minutes }: FormBudget): BudgetForm {
  const text = (most: number | null) => (most === null ? "" : most.toLocaleString("en-US"))
  return { usd: text(usd), tokens: text(tokens), ...(minutes !== undefined && { minutes: text(minutes) }) }
}

/** Returns the limits in a form, or error messages for its invalid fields. */
export function budgetIn(form: BudgetForm): { budget: FormBudget } | { faults: Partial<BudgetForm> } {
  const usd = amountIn(form.usd)
  const tokens = amountIn(form.tokens)
  const minutes = amountIn(form.minutes ?? "")
  const faults: Partial<BudgetForm> = {
    ...(!isLimit(usd) && { usd: "Enter an amount such as 5 or 12.50." }),
    ...((!isLimit(tokens) || !Number.isInteger(tokens ?? 0)) && { tokens: "Enter a whole number such as 200,000." }),
    ...(!isLimit(minutes) && { minutes: "Enter a number such as 30." }),
  }
  if (Object.keys(faults).length > 0) return { faults }
  return { budget: { usd, tokens, ...(form.minutes !== undefined && { minutes }) } }
}

/** Returns the budget for a run request; undefined for none. */
export function requestedBudget(form: BudgetForm): FormBudget | undefined {
  const read = budgetIn(form)
  if (!("budget" in read)) return undefined
  return Object.values(read.budget).every((most) => most === null) ? undefined : read.budget
}

function amountIn(text: string): number | null {
  return text.trim() === "" ? null : Number(text.replace(/[$,\s]/g, "") || Number.NaN)
}

function isLimit(amount: number | null): boolean {
  return amount === null || (Number.isFinite(amount) && amount >= 0)
}
