import type { Budget } from "@switchyard/core/people/budget/schema"
import { useState } from "react"
import { FormDialog } from "../../ui/form-dialog.tsx"
import { Notice } from "../../ui/notice.tsx"
import { BudgetFields } from "./budget-fields.tsx"
import { budgetIn, toBudgetForm } from "./budget-form.ts"

interface Props {
  budget: Budget
  busy: boolean
  error: Error | null
  onSave(budget: Budget): void
  onClose(): void
}

/** A form with the four limits of a budget. An empty field is no limit. */
export function BudgetDialog({ budget, busy, error, onSave, onClose }: Props) {
  const { day_usd, month_usd, day_tokens, month_tokens } = budget
  const [aDay, setDay] = useState(() => toBudgetForm({ usd: day_usd, tokens: day_tokens }))
  const [aMonth, setMonth] = useState(() => toBudgetForm({ usd: month_usd, tokens: month_tokens }))
  const save = () => {
    const day = budgetIn(aDay)
    const month = budgetIn(aMonth)
    if (!("budget" in day) || !("budget" in month)) return
    onSave({
      ...{ day_usd: day.budget.usd, day_tokens: day.budget.tokens },
      ...{ month_usd: month.budget.usd, month_tokens: month.budget.tokens },
    })
  }
  return (
    <FormDialog title="Budget" action="Save" blocked={busy} onSubmit={save} onClose={onClose}>
      {error && <Notice tone="err">{error.message}</Notice>}
      <p className="text-sm text-ink-2">
        The most that your runs may use. Where a limit is used up, no run begins, and workflows and teams pause before
        their next call of a model. Leave a field empty for no limit.
      </p>
      <fieldset>
        <legend className="mb-1 font-semibold">A day</legend>
        <BudgetFields form={aDay} onChange={setDay} />
      </fieldset>
      <fieldset>
        <legend className="mb-1 font-semibold">A month</legend>
        <BudgetFields form={aMonth} onChange={setMonth} />
      </fieldset>
      <p className="text-sm text-ink-3">
        Days and months are those of UTC. Costs are estimates by list prices; models without a known price count only in
        tokens.
      </p>
    </FormDialog>
  )
}
