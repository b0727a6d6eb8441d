import { type UseInfiniteQueryResult, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { Session, SessionList } from "../../api/session.ts"
import { useResponse } from "../context/requests.ts"
import { useStudio } from "../context/studio.ts"
import { joinPages, refetchesIn } from "./session-pages.ts"

const KEY = ["sessions"]
const PAGE = 50

export type SessionsQuery = UseInfiniteQueryResult<{ sessions: Session[] }, Error>

/**
 * Returns the sessions on the pages loaded so far: pinned ones, then by latest activity. With a search, only sessions
 * whose name matches. Refetched when a session changes here, and when the page becomes visible again.
 */
export function useSessions(search = ""): SessionsQuery {
  const { api } = useStudio()
  return useInfiniteQuery({
    queryKey: [...KEY, "list", search],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, before: pageParam, q: search || undefined }
      return api.call("GET /api/v1/sessions", { query, response: SessionList, signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: SessionList) => next ?? undefined,
    select: ({ pages }) => ({ sessions: joinPages(pages) }),
    placeholderData: (before) => before,
    staleTime: 5_000,
    refetchInterval: ({ state: { data, status } }) => refetchesIn(status, data?.pages ?? []),
  })
}

/** Returns the session from the list, or requests it separately if it isn't among those loaded. */
export function useListedSession(id: string): Session | undefined {
  const { data } = useSessions()
  const listed = data?.sessions.find((session) => session.id === id)
  const alone = useResponse(
    [...KEY, "one", id],
    "GET /api/v1/sessions/{id}",
    { path: { id }, response: Session },
    { enabled: data !== undefined && listed === undefined, retry: false, staleTime: 5_000 },
  )
  return listed ?? alone.data
}

export function useSessionsChanged(): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: KEY })
}
