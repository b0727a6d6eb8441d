import type { WorkBudget } from "@switchyard/core/people/budget/schema"

/** The limits that the form has; one in minutes stays as it is. */
type FormBudget = Pick<WorkBudget, "usd" | "tokens">

/** Two limits as they are typed. An empty field is no limit. */
export type BudgetForm = Record<keyof FormBudget, string>

export const blankBudget: BudgetForm = { usd: "", tokens: "" }

export function toBudgetForm({ usd, tokens }: FormBudget): BudgetForm {
  const text = (most: number | null) => (most === null ? "" : most.toLocaleString("en-US"))
  return { usd: text(usd), tokens: text(tokens) }
}

/** The limits in a form, or the words for the fields that hold none. */
export function budgetIn(form: BudgetForm): { budget: FormBudget } | { faults: Partial<BudgetForm> } {
  const usd = amountIn(form.usd)
  const tokens = amountIn(form.tokens)
  const faults: Partial<BudgetForm> = {
    ...(!isLimit(usd) && { usd: "A number such as 5 or 12.50." }),
    ...((!isLimit(tokens) || !Number.isInteger(tokens ?? 0)) && { tokens: "A whole number such as 200,000." }),
  }
  return Object.keys(faults).length > 0 ? { faults } : { budget: { usd, tokens } }
}

/** The budget that a request for a run names; undefined for none. */
export function requestedBudget(form: BudgetForm): FormBudget | undefined {
  const read = budgetIn(form)
  if (!("budget" in read)) return undefined
  return read.budget.usd === null && read.budget.tokens === null ? undefined : read.budget
}

function amountIn(text: string): number | null {
  return text.trim() === "" ? null : Number(text.replace(/[$,\s]/g, "") || Number.NaN)
}

function isLimit(amount: number | null): boolean {
  return amount === null || (Number.isFinite(amount) && amount >= 0)
}
