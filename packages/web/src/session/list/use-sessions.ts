import type { Session, SessionList } from "@switchyard/core/sessions/schema"
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query"
import { useStudio } from "../context/studio.ts"

const KEY = ["sessions"]
/** How soon the list is read again where it couldn't be, or where somebody works on one of its sessions. */
const SOON_MS = 5_000

const list = async () => (await import("@switchyard/core/sessions/schema")).SessionList

/** The sessions that were used last. Read again when one of them has changed here, and when somebody looks at the page again. */
export function useSessions(): UseQueryResult<SessionList, Error> {
  const { api } = useStudio()
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/sessions", { query: { limit: 50 }, answer: list, signal }),
    staleTime: 5_000,
    refetchInterval: ({ state: { data, status } }) =>
      status === "error" || data?.sessions.some(({ active }) => active) ? SOON_MS : false,
  })
}

export function useListedSession(id: string): Session | undefined {
  return useSessions().data?.sessions.find((session) => session.id === id)
}

/** Has the list read again: something in it isn't as it was. */
export function useSessionsChanged(): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: KEY })
}
