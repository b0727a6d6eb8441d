import type { WorkBudgetChange, WorkBudgetStatus } from "@switchyard/core/people/budget/schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { ApiError } from "../../api/client.ts"
import { useStudio } from "../../session/context/studio.ts"

/** A session, or one of its runs, that can have a budget. */
export interface BudgetSubject {
  sessionId: string
  /** Absent for the whole session. */
  runId?: string
  /** Its name in the dialog. */
  title: string
}

const REFRESH_MS = 5000

const status = async () => (await import("@switchyard/core/people/budget/schema")).WorkBudgetStatus

/**
 * Loads the budgets of a session and its active runs, with what is used of them, in the order of `subjects`. `seq`:
 * last event that set one. `isActive`: whether usage is still growing.
 */
export function useWorkBudgets(subjects: readonly BudgetSubject[], { seq = 0, isActive = false } = {}) {
  const { api } = useStudio()
  const read = ({ sessionId, runId }: BudgetSubject, signal: AbortSignal) =>
    runId === undefined
      ? api.call("GET /api/v1/sessions/{id}/budget", { path: { id: sessionId }, response: status, signal })
      : api.call("GET /v1/runs/{id}/budget", { path: { id: runId }, response: status, signal })
  return useQuery({
    queryKey: [...keyOf(subjects[0]), seq, subjects.map(({ runId }) => runId)],
    queryFn: ({ signal }): Promise<WorkBudgetStatus[]> => Promise.all(subjects.map((one) => read(one, signal))),
    placeholderData: (before) => (before?.length === subjects.length ? before : undefined),
    refetchInterval: isActive ? REFRESH_MS : false,
  })
}

export interface BudgetEdit {
  subject: BudgetSubject
  budget: WorkBudgetChange
}

/** Changes budgets one at a time. Work that waits for one then continues. */
export function useChangeBudgets() {
  const { api } = useStudio()
  const client = useQueryClient()
  const send = ({ subject: { sessionId, runId }, budget: body }: BudgetEdit) =>
    runId === undefined
      ? api.call("PUT /api/v1/sessions/{id}/budget", { path: { id: sessionId }, body, response: status })
      : api.call("PUT /v1/runs/{id}/budget", { path: { id: runId }, body, response: status }).catch(unlessEnded)
  return useMutation({
    mutationFn: async (edits: BudgetEdit[]) => {
      for (const edit of edits) await send(edit)
    },
    onSettled: (_data, _error, edits) => client.invalidateQueries({ queryKey: keyOf(edits[0]?.subject) }),
  })
}

function keyOf(subject: BudgetSubject | undefined) {
  return ["work-budgets", subject?.sessionId]
}

/** A run that has ended meanwhile no longer needs a budget. */
function unlessEnded(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== "run_ended") throw error
}
