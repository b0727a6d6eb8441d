import { amountOf, limitsOf, reachedMessage, unpricedNote } from "@switchyard/core/people/budget/message"
import { type Budget, type BudgetChange, BudgetStatus } from "@switchyard/core/people/budget/schema"
import { useState } from "react"
import { useReplacement, useResponse } from "../../session/context/requests.ts"
import { Button } from "../../ui/button.tsx"
import { FormDialog } from "../../ui/dialog.tsx"
import { ErrorNotice, Notice, UnloadedList } from "../../ui/notice.tsx"
import { BudgetFields } from "./budget-fields.tsx"
import { budgetIn, toBudgetForm } from "./budget-form.ts"
import { Meter } from "./meter.tsx"

/** The user's budget, how much of it is used, and a button that changes it. */
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
    return <p className="text-sm text-ink-3">No daily or monthly budget.</p>
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
            <Meter label={`${used} of ${amountOf(name, most)}`} aside={`${percent}%`} percent={percent} />
          </li>
        ))}
      </ul>
      {note && <p className="mt-3 text-sm text-ink-3">{note}</p>}
    </>
  )
}

const KEY = ["usage", "budget"]

/** Returns the user's budget, how much of it is used, and a way to change it. */
function useBudget() {
  const status = useResponse(KEY, "GET /api/v1/config/budget", { response: BudgetStatus })
  const change = useReplacement(KEY, (api, body: BudgetChange) =>
    api.call("PUT /api/v1/config/budget", { body, response: BudgetStatus }),
  )
  return { status, change }
}

interface Props {
  budget: Budget
  busy: boolean
  error: Error | null
  onSave(budget: Budget): void
  onClose(): void
}

/** Form with a budget's four limits. An empty field means no limit. */
function BudgetDialog({ budget, busy, error, onSave, onClose }: Props) {
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
      <ErrorNotice error={error} />
      <p className="text-sm text-ink-2">
        At the limit, builds and teams pause and no new runs start. Leave a field empty for no limit.
      </p>
      <fieldset>
        <legend className="mb-1 font-semibold">Daily</legend>
        <BudgetFields value={aDay} onChange={setDay} />
      </fieldset>
      <fieldset>
        <legend className="mb-1 font-semibold">Monthly</legend>
        <BudgetFields value={aMonth} onChange={setMonth} />
      </fieldset>
      <p className="text-sm text-ink-3">
        Days and months are in UTC. Costs are estimated from list prices. Models without a known price only count toward
        token limits.
      </p>
    </FormDialog>
  )
}
