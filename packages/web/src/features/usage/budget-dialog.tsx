import { Budget, type BudgetName } from "@switchyard/core/people/budget/schema"
import { useState } from "react"
import { Field } from "../../ui/field.tsx"
import { FormDialog } from "../../ui/form-dialog.tsx"
import { Notice } from "../../ui/notice.tsx"

interface Props {
  budget: Budget
  busy: boolean
  error: Error | null
  onSave(budget: Budget): void
  onClose(): void
}

const periods = {
  "A day": { usd: "day_usd", tokens: "day_tokens" },
  "A month": { usd: "month_usd", tokens: "month_tokens" },
} as const

/** A form with the four limits of a budget. An empty field is no limit. */
export function BudgetDialog({ budget, busy, error, onSave, onClose }: Props) {
  const [form, setForm] = useState(() => toForm(budget))
  const [faulty, setFaulty] = useState<PropertyKey[]>([])
  const field = (name: BudgetName) => ({
    value: form[name],
    error: faulty.includes(name) ? faults[name.endsWith("usd") ? "usd" : "tokens"] : null,
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  })
  const save = () => {
    const parsed = Budget.safeParse(fromForm(form))
    setFaulty(parsed.error?.issues.flatMap(({ path }) => path) ?? [])
    if (parsed.success) onSave(parsed.data)
  }
  return (
    <FormDialog title="Budget" action="Save" blocked={busy} onSubmit={save} onClose={onClose}>
      {error && <Notice tone="err">{error.message}</Notice>}
      <p className="text-sm text-ink-2">
        The most that your runs may use. Where a limit is used up, no run begins, and workflows and teams pause before
        their next call of a model. Leave a field empty for no limit.
      </p>
      {Object.entries(periods).map(([period, { usd, tokens }]) => (
        <fieldset key={period} className="grid grid-cols-2 gap-3">
          <legend className="mb-1 font-semibold">{period}</legend>
          <Field label="Dollars" inputMode="decimal" placeholder="No limit" {...field(usd)} />
          <Field label="Tokens" inputMode="numeric" placeholder="No limit" {...field(tokens)} />
        </fieldset>
      ))}
      <p className="text-sm text-ink-3">
        Days and months are those of UTC. Costs are estimates by list prices; models without a known price count only in
        tokens.
      </p>
    </FormDialog>
  )
}

const faults = {
  usd: "A number such as 5 or 12.50, up to 1,000,000.",
  tokens: "A whole number, up to 1,000,000,000,000.",
}

type Form = Record<BudgetName, string>

function toForm({ day_usd, month_usd, day_tokens, month_tokens }: Budget): Form {
  const text = (most: number | null) => (most === null ? "" : most.toLocaleString("en-US"))
  return {
    ...{ day_usd: text(day_usd), month_usd: text(month_usd) },
    ...{ day_tokens: text(day_tokens), month_tokens: text(month_tokens) },
  }
}

/** The amounts in a form. Text that is no number becomes `NaN`, which is none of a budget's amounts. */
function fromForm(form: Form) {
  const amount = (text: string) => (text.trim() === "" ? null : Number(text.replace(/[$,\s]/g, "")))
  return Object.fromEntries(Object.entries(form).map(([name, text]) => [name, amount(text)]))
}
