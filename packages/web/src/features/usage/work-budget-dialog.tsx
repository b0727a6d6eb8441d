import { unpricedWorkNote, workLimitsOf } from "@switchyard/core/people/budget/message"
import type { WorkBudgetStatus } from "@switchyard/core/people/budget/schema"
import { costText, tokenCount } from "@switchyard/core/people/usage/amounts"
import { useState } from "react"
import { FormDialog } from "../../ui/dialog.tsx"
import { ErrorNotice, Skeleton } from "../../ui/notice.tsx"
import { BudgetFields } from "./budget-fields.tsx"
import { type BudgetForm, budgetIn, toBudgetForm } from "./budget-form.ts"
import { Meter } from "./meter.tsx"
import { type BudgetSubject, useChangeBudgets, useWorkBudgets } from "./use-work-budgets.ts"

interface Props {
  subjects: readonly BudgetSubject[]
  onClose(): void
}

/** The budgets of a session and its runs: how much of each is used, how much is left, and fields to change them. */
export function WorkBudgetDialog({ subjects: given, onClose }: Props) {
  // Keeps the initial list, so that runs that begin or end meanwhile don't affect what is being typed.
  const [subjects] = useState(given)
  const { data, error } = useWorkBudgets(subjects)
  const [edits, setEdits] = useState<Record<string, BudgetForm>>({})
  const change = useChangeBudgets()
  const read = Object.entries(edits).map(([title, form]) => [title, budgetIn(form)] as const)

  const save = () => {
    const changed = read.flatMap(([title, one]) => {
      const subject = subjects.find((each) => each.title === title)
      return subject && "budget" in one ? [{ subject, budget: one.budget }] : []
    })
    change.mutate(changed, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title="Budget"
      action="Save"
      blocked={!data || change.isPending || read.some(([, one]) => "faults" in one)}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="text-sm text-ink-2">
        You'll be asked before a limit is exceeded. Leave a field empty for no limit.
      </p>
      <ErrorNotice error={change.error ?? error} />
      {!data && !error && <Skeleton lines={4} />}
      {data?.map((status, at) => {
        const title = subjects[at]?.title ?? ""
        return (
          <fieldset key={title}>
            <legend className="mb-1 font-semibold break-words">{title}</legend>
            <Used status={status} />
            <BudgetFields
              value={edits[title] ?? toBudgetForm(status)}
              onChange={(form) => setEdits({ ...edits, [title]: form })}
            />
          </fieldset>
        )
      })}
    </FormDialog>
  )
}

function Used({ status }: { status: WorkBudgetStatus }) {
  const limits = workLimitsOf(status)
  const { usd, usd_is_complete, tokens } = status.used
  const note = unpricedWorkNote(status)
  return (
    <div className="mb-3 flex flex-col gap-2">
      {limits.map(({ name, text, left, percent }) => (
        <div key={name}>
          <Meter label={text} aside={left} percent={percent} />
        </div>
      ))}
      {limits.length === 0 && (
        <p className="text-sm text-ink-3 nums">
          {costText({ cost_usd: usd, cost_is_complete: usd_is_complete })} and {tokenCount(tokens)} tokens used
        </p>
      )}
      {note && <p className="text-sm text-ink-3">{note}</p>}
    </div>
  )
}
