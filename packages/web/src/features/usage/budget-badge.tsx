import { workLimitsOf } from "@switchyard/core/people/budget/message"
import { clsx } from "clsx"
import { Gauge } from "../../ui/icons.tsx"
import { type BudgetSubject, useWorkBudgets } from "./use-work-budgets.ts"

interface Props {
  subjects: readonly BudgetSubject[]
  /** The last event that set a budget. */
  seq: number
  isActive: boolean
  onOpen(): void
}

/** The limit that is used most of a session's budgets and its runs', which opens them. Nothing where none is set. */
export function BudgetBadge({ subjects, seq, isActive, onOpen }: Props) {
  const { data } = useWorkBudgets(subjects, { seq, isActive })
  const limits = data?.flatMap(workLimitsOf).sort((a, b) => b.percent - a.percent)
  const nearest = limits?.[0]
  if (!nearest) return null
  return (
    <button
      type="button"
      onClick={onOpen}
      title={`${nearest.left} of the budget`}
      className={clsx(
        "flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-xs nums hover:bg-well max-md:h-11",
        nearest.percent === 100 ? "bg-need-bg text-ink" : "text-ink-2",
      )}
    >
      <Gauge size={14} aria-hidden />
      <span className="unseen">
        Budget: {nearest.text}, {nearest.left}
      </span>
      <span aria-hidden className="max-xl:hidden">
        {nearest.text}
      </span>
      <span aria-hidden className="xl:hidden">
        {nearest.percent} %
      </span>
    </button>
  )
}
