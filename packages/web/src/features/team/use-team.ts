import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { useStudio } from "../../session/context/studio.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { board, messages, triggers } from "./responses.ts"

/** The shortest time between two looks at a board that moves. */
const LOOK_AGAIN_MS = 300

/** The board, the messages and the triggers of a session's team, fetched anew whenever something happens in the session. */
export function useTeam(session: SessionStore) {
  const { api } = useStudio()
  const path = { id: session.sessionId }
  const key = ["team", session.sessionId]
  const boardOf = useQuery({
    queryKey: [...key, "board"],
    queryFn: ({ signal }) => api.call("GET /api/v1/teams/{id}/board", { path, response: board, signal }),
  })
  const messagesOf = useQuery({
    queryKey: [...key, "messages"],
    queryFn: ({ signal }) => api.call("GET /api/v1/teams/{id}/messages", { path, response: messages, signal }),
  })
  const triggersOf = useQuery({
    queryKey: [...key, "triggers"],
    queryFn: ({ signal }) => api.call("GET /api/v1/teams/{id}/triggers", { path, response: triggers, signal }),
  })
  useFreshness(session, key)
  return {
    board: boardOf.data,
    messages: messagesOf.data?.messages ?? [],
    triggers: triggersOf.data?.triggers ?? [],
    error: boardOf.error,
  }
}

function useFreshness(session: SessionStore, key: string[]): void {
  const client = useQueryClient()
  const seq = useSessionData(session, ({ live }) => live.seq)
  const timer = useRef<number | undefined>(undefined)
  const queryKey = useRef(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new event is a reason to look
  useEffect(() => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      client.invalidateQueries({ queryKey: queryKey.current })
    }, LOOK_AGAIN_MS)
  }, [client, seq])
  useEffect(() => () => window.clearTimeout(timer.current), [])
}
