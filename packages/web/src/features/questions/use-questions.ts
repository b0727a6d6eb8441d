import { useQuery } from "@tanstack/react-query"
import { useStudio } from "../../session/context/studio.ts"
import { useSessions } from "../../session/list/use-sessions.ts"

const SOON_MS = 5_000

const list = async () => (await import("@switchyard/core/agents/questions/schema")).QuestionList

/** The questions in all sessions, refetched while any session works. */
export function useQuestions() {
  const { api } = useStudio()
  const isActive = useSessions().data?.sessions.some(({ active }) => active) ?? false
  return useQuery({
    queryKey: ["questions", isActive],
    queryFn: ({ signal }) => api.call("GET /api/v1/questions", { response: list, signal }),
    refetchInterval: isActive ? SOON_MS : false,
  })
}
