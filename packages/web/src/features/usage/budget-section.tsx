import { amountOf, reachedMessage } from "@switchyard/core/people/budget/message"
import { BudgetName, type BudgetStatus } from "@switchyard/core/people/budget/schema"
import { costText, tokenCount } from "@switchyard/core/people/usage/amounts"
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
  const inDollars = status.day_usd !== null || status.month_usd !== null
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
        {limits.map(({ name, most }) => (
          <li key={name}>
            <Meter
              label={`${usedOf(name, status)} of ${amountOf(name, most)}`}
              aside={`${percentOf(name, status, most)} %`}
              percent={percentOf(name, status, most)}
            />
          </li>
        ))}
      </ul>
      {inDollars && !status.month.usd_is_complete && (
        <p className="mt-3 text-sm text-ink-3">Some models have no known price. Only a limit in tokens counts them.</p>
      )}
    </>
  )
}

function limitsOf(status: BudgetStatus): { name: BudgetName; most: number }[] {
  return BudgetName.options.flatMap((name) => {
    const most = status[name]
    return most === null ? [] : [{ name, most }]
  })
}

function usedOf(name: BudgetName, status: BudgetStatus): string {
  const { usd, usd_is_complete, tokens } = spentIn(name, status)
  return name.endsWith("usd") ? costText({ cost_usd: usd, cost_is_complete: usd_is_complete }) : tokenCount(tokens)
}

/** Rounded down, so that 100 is what keeps runs from beginning. */
function percentOf(name: BudgetName, status: BudgetStatus, most: number): number {
  const { usd, tokens } = spentIn(name, status)
  const used = name.endsWith("usd") ? (usd ?? 0) : tokens
  return used >= most ? 100 : Math.floor((used / most) * 100)
}

function spentIn(name: BudgetName, { day, month }: BudgetStatus): BudgetStatus["day"] {
  return name.startsWith("day") ? day : month
}
