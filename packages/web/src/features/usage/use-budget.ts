import { type BudgetChange, BudgetStatus } from "@switchyard/core/people/budget/schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useStudio } from "../../session/context/studio.ts"

const KEY = ["usage", "budget"]

/** The user's budget, with the part of it that is used, and the way to change it. */
export function useBudget() {
  const { api } = useStudio()
  const client = useQueryClient()
  const status = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/config/budget", { response: BudgetStatus, signal }),
  })
  const change = useMutation({
    mutationFn: (body: BudgetChange) => api.call("PUT /api/v1/config/budget", { body, response: BudgetStatus }),
    onSuccess: (changed) => client.setQueryData(KEY, changed),
  })
  return { status, change }
}
