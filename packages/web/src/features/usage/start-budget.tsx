import { type ReactNode, useState } from "react"
import { lazyPart } from "../../ui/lazy-part.ts"
import type { BudgetForm } from "./budget-form.ts"

// Loaded on demand, because the first page has enough to load already.
const BudgetFields = lazyPart(async () => (await import("./budget-fields.tsx")).BudgetFields)

interface Props {
  /** Model that the budget is for; undefined if its program reports the cost. */
  model?: string | undefined
  value: BudgetForm
  onChange(form: BudgetForm): void
  /** Name of whatever the budget is for. */
  of?: string
  /** Estimated cost, shown beside the heading. */
  estimate?: ReactNode
}

/** The budget for a run, or for something else about to be started. */
export function StartBudget({ value, onChange, model, of = "this run", estimate }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="mt-3 text-sm" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-ink-2 hover:text-ink max-md:py-3.5">
        Budget{estimate && <span className="ml-3">{estimate}</span>}
      </summary>
      <div className="mt-2 flex max-w-md flex-col gap-2 border-l border-line pl-4">
        {isOpen && <BudgetFields value={value} onChange={onChange} model={model} />}
        <p className="text-ink-3">This limit applies to {of}. You'll be asked before it's exceeded.</p>
      </div>
    </details>
  )
}
