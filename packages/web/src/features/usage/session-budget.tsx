import { Suspense } from "react"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { BudgetBadge } from "./budget-badge.tsx"
import { budgetSubjects } from "./budget-subjects.ts"

const WorkBudgetDialog = lazyPart(async () => (await import("./work-budget-dialog.tsx")).WorkBudgetDialog)

interface Props {
  session: SessionStore
  isOpen: boolean
  onOpen(): void
  onClose(): void
}

/** The used part of the budgets of a session and its runs, and the dialog to change them. */
export function SessionBudget({ session, isOpen, onOpen, onClose }: Props) {
  const agents = useSessionData(session, ({ live }) => live.agents)
  const seq = useSessionData(session, ({ live }) => live.budgetSeq)
  const subjects = budgetSubjects(session.sessionId, agents)
  return (
    <>
      {seq > 0 && <BudgetBadge subjects={subjects} seq={seq} isActive={subjects.length > 1} onOpen={onOpen} />}
      {isOpen && (
        <Suspense>
          <WorkBudgetDialog subjects={subjects} onClose={onClose} />
        </Suspense>
      )}
    </>
  )
}
