import { type UseInfiniteQueryResult, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { Session, SessionList } from "../../api/session.ts"
import { useResponse } from "../context/requests.ts"
import { useStudio } from "../context/studio.ts"
import { joinPages, refetchesIn } from "./session-pages.ts"

const KEY = ["sessions"]
export const listKey = (...query: unknown[]) => [...KEY, "list", ...query]
export const sessionKey = (id: string) => [...KEY, "one", id]
const PAGE = 100

/** Loaded sessions, and the number of open questions in all of them. */
export type SessionsQuery = UseInfiniteQueryResult<{ sessions: Session[]; openQuestions: number }, Error>

/**
 * Returns the sessions on the pages loaded so far: pinned ones, then by latest activity. With a search, only sessions
 * whose name matches. `archived`: only archived sessions, otherwise only others. Refetched when a session changes here,
 * now and then, and when the page becomes visible again. `SessionUpdates` applies the changes of active sessions.
 */
export function useSessions(search = "", { archived = false, enabled = true } = {}): SessionsQuery {
  const { api } = useStudio()
  return useInfiniteQuery({
    enabled,
    queryKey: listKey(search, archived),
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, before: pageParam, q: search || undefined, archived: archived || undefined }
      return api.call("GET /api/v1/sessions", { query, response: SessionList, signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: SessionList) => next ?? undefined,
    select: ({ pages }) => {
      const sessions = joinPages(pages)
      // The server's number may be older than the rows.
      const known = sessions.reduce((sum, { open_questions }) => sum + open_questions, 0)
      return { sessions, openQuestions: Math.max(known, pages[0]?.open_questions ?? 0) }
    },
    placeholderData: (before) => before,
    staleTime: 5_000,
    refetchInterval: ({ state }) => refetchesIn(state.status),
  })
}

/** Returns the session from the list, or requests it separately if it isn't among those loaded. */
export function useListedSession(id: string): Session | undefined {
  const { data } = useSessions()
  const listed = data?.sessions.find((session) => session.id === id)
  const alone = useResponse(
    sessionKey(id),
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
