import { workLimitsOf } from "@switchyard/core/people/budget/message"
import { clsx } from "clsx"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Gauge } from "../../ui/session-icons.tsx"
import { budgetSubjects } from "./budget-subjects.ts"
import { type BudgetSubject, useWorkBudgets } from "./use-work-budgets.ts"

const WorkBudgetDialog = lazyPart(async () => (await import("./work-budget-dialog.tsx")).WorkBudgetDialog)

/** The used share of the budgets of a session and its runs, and the dialog that changes them. */
export function SessionBudget({ isOpen, onOpen, onClose }: { isOpen: boolean; onOpen(): void; onClose(): void }) {
  const { sessionId } = useShownSession()
  const agents = useSessionData(({ live }) => live.agents)
  const seq = useSessionData(({ live }) => live.budgetSeq)
  const subjects = budgetSubjects(sessionId, agents)
  return (
    <>
      {seq > 0 && <BudgetBadge subjects={subjects} seq={seq} isActive={subjects.length > 1} onOpen={onOpen} />}
      {isOpen && <WorkBudgetDialog subjects={subjects} onClose={onClose} />}
    </>
  )
}

interface BudgetBadgeProps {
  subjects: readonly BudgetSubject[]
  /** Last event that set a budget. */
  seq: number
  isActive: boolean
  onOpen(): void
}

/**
 * The limit closest to being used up, among the budgets of a session and its runs. Opens them when clicked. Nothing if
 * none is set.
 */
function BudgetBadge({ subjects, seq, isActive, onOpen }: BudgetBadgeProps) {
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
        {nearest.percent}%
      </span>
    </button>
  )
}
