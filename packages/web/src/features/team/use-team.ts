import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { useStudio } from "../../session/context/studio.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { board, messages } from "./responses.ts"

/** The shortest time between two looks at a board that moves. */
const LOOK_AGAIN_MS = 300

/** An earlier moment never changes. It is forgotten soon: a replay passes many. */
const MOMENT = { staleTime: Number.POSITIVE_INFINITY, gcTime: 60_000, retry: false, placeholderData: keepPreviousData }

/**
 * The board and the messages of a session's team: live, fetched anew whenever something happens in the session; in a replay,
 * those of its moment.
 */
export function useTeam(session: SessionStore) {
  const { api } = useStudio()
  const moment = useMoment(session)
  const at = { path: { id: session.sessionId }, query: moment === null ? {} : { at_seq: moment } }
  const live = ["team", session.sessionId, "live"]
  const key = moment === null ? live : ["team", session.sessionId, moment]
  const options = moment === null ? {} : MOMENT
  const boardOf = useQuery({
    queryKey: [...key, "board"],
    queryFn: ({ signal }) => api.call("GET /api/v1/teams/{id}/board", { ...at, response: board, signal }),
    ...options,
  })
  const messagesOf = useQuery({
    queryKey: [...key, "messages"],
    queryFn: ({ signal }) => api.call("GET /api/v1/teams/{id}/messages", { ...at, response: messages, signal }),
    ...options,
  })
  useFreshness(session, live)
  return {
    moment,
    board: boardOf.data,
    messages: messagesOf.data?.messages ?? [],
    error: boardOf.error,
  }
}

/** The event at which the replay stands, as often as a board is looked at while it moves; null when live. */
function useMoment(session: SessionStore): number | null {
  const replaySeq = useSessionData(session, (data) => data.replaySeq)
  const [looked, look] = useState(replaySeq)
  // Into the replay and out of it at once: nobody may act on a board that isn't today's.
  if ((looked === null) !== (replaySeq === null)) look(replaySeq)
  const timer = useRef<number | undefined>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new moment is a reason to look
  useEffect(() => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      look(session.store.getState().replaySeq)
    }, LOOK_AGAIN_MS)
  }, [session, replaySeq])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  return looked
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
