import { amountOf, limitsOf, reachedMessage, unpricedNote } from "@switchyard/core/people/budget/message"
import type { BudgetStatus } from "@switchyard/core/people/budget/schema"
import { useState } from "react"
import { Button } from "../../ui/button.tsx"
import { Notice } from "../../ui/notice.tsx"
import { UnloadedList } from "../../ui/unloaded-list.tsx"
import { BudgetDialog } from "./budget-dialog.tsx"
import { Meter } from "./meter.tsx"
import { useBudget } from "./use-budget.ts"

/** The most that the user's runs may use, how much of it is used, and the button to change it. */
export function BudgetSection() {
  const { status, change } = useBudget()
  const [editing, setEditing] = useState(false)
  const close = () => {
    setEditing(false)
    change.reset()
  }
  return (
    <section aria-labelledby="budget" className="mb-6 rounded-md border border-line bg-sheet px-4 py-3">
      <div className="flex items-center gap-3">
        <h2 id="budget" className="font-semibold">
          Budget
        </h2>
        <Button size="sm" className="ml-auto" disabled={!status.data} onClick={() => setEditing(true)}>
          {status.data && limitsOf(status.data).length === 0 ? "Set a budget" : "Change"}
        </Button>
      </div>
      {status.data ? <Limits status={status.data} /> : <UnloadedList list={status} lines={1} />}
      {editing && status.data && (
        <BudgetDialog
          budget={status.data}
          busy={change.isPending}
          error={change.error}
          onClose={close}
          onSave={(next) => change.mutate(next, { onSuccess: close })}
        />
      )}
    </section>
  )
}

function Limits({ status }: { status: BudgetStatus }) {
  const limits = limitsOf(status)
  const note = unpricedNote(status)
  if (limits.length === 0) {
    return <p className="text-sm text-ink-3">Nothing limits what your runs may use in a day or a month.</p>
  }
  return (
    <>
      {status.reached && (
        <Notice tone="need" className="mt-2">
          {reachedMessage(status)}
        </Notice>
      )}
      <ul className="mt-2 grid gap-x-8 gap-y-3 sm:grid-cols-2">
        {limits.map(({ name, most, used, percent }) => (
          <li key={name}>
            <Meter label={`${used} of ${amountOf(name, most)}`} aside={`${percent} %`} percent={percent} />
          </li>
        ))}
      </ul>
      {note && <p className="mt-3 text-sm text-ink-3">{note}</p>}
    </>
  )
}
