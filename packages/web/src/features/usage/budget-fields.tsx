import { isPriced, unpricedText } from "@switchyard/core/models/prices"
import { Field } from "../../ui/field.tsx"
import { Notice } from "../../ui/notice.tsx"
import { type BudgetForm, budgetIn } from "./budget-form.ts"

interface Props {
  /** Model that the budget is for, including its provider; undefined if there are several, or none is known. */
  model?: string | undefined
  value: BudgetForm
  onChange(form: BudgetForm): void
  className?: string
}

/** A budget's limits. Invalid amounts are reported below their field immediately. */
export function BudgetFields({ value: form, onChange, model }: Props) {
  const read = budgetIn(form)
  const unpriced = model !== undefined && !isPriced(model) ? unpricedText(model) : null
  const field = (name: keyof BudgetForm) => ({
    value: form[name] ?? "",
    error: "faults" in read ? read.faults[name] : null,
    placeholder: "No limit",
    autoComplete: "off",
    onChange: (text: string) => onChange({ ...form, [name]: text }),
  })
  return (
    <>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(7.5rem,1fr))] gap-3">
        <Field label="Dollars" inputMode="decimal" {...field("usd")} disabled={unpriced !== null && form.usd === ""} />
        <Field label="Tokens" inputMode="numeric" {...field("tokens")} />
        {form.minutes !== undefined && <Field label="Minutes of work" inputMode="decimal" {...field("minutes")} />}
      </div>
      {unpriced && (
        <Notice tone="need" className="mt-2 wrap-anywhere">
          {unpriced}
        </Notice>
      )}
    </>
  )
}
