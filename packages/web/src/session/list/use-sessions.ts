import type { Session, SessionList } from "@switchyard/core/sessions/schema"
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query"
import { useStudio } from "../context/studio.ts"

const KEY = ["sessions"]
/** The list is refetched this often after an error, or while a session is active. */
const SOON_MS = 5_000

const list = async () => (await import("@switchyard/core/sessions/schema")).SessionList

/** The most recent sessions. Refetched when one changes here, and when the page becomes visible again. */
export function useSessions(): UseQueryResult<SessionList, Error> {
  const { api } = useStudio()
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/sessions", { query: { limit: 50 }, response: list, signal }),
    staleTime: 5_000,
    refetchInterval: ({ state: { data, status } }) =>
      status === "error" || data?.sessions.some(({ active }) => active) ? SOON_MS : false,
  })
}

export function useListedSession(id: string): Session | undefined {
  return useSessions().data?.sessions.find((session) => session.id === id)
}

/** Invalidates the list of sessions. */
export function useSessionsChanged(): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: KEY })
}
