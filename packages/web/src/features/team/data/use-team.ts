import { keepPreviousData, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { useResponse } from "../../../session/context/requests.ts"
import { useStudio } from "../../../session/context/studio.ts"
import type { StudioEvent } from "../../../session/stream/event.ts"
import type { SessionData } from "../../../session/stream/session-data.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { pacedLook } from "../../../session/view/paced-look.ts"
import { useSessionData, useShownSession } from "../../../session/view/use-session.ts"
import { board, messages } from "./responses.ts"

/** Minimum time between fetches of a changing board. */
const LOOK_AGAIN_MS = 100
/** Minimum time between fetches if only the usage has grown. */
const LOOK_AT_USE_MS = 1000
/** Minimum time between fetches of earlier moments. */
const LOOK_BACK_MS = 300

/** Matches events that change a node, member, message, stage or trigger. */
const CHANGES = /^(work_node|worker|team|stage|trigger|question|run)_/

/** An earlier moment never changes. It is dropped soon, because a replay passes many. */
const MOMENT = { staleTime: Number.POSITIVE_INFINITY, gcTime: 60_000, retry: false, placeholderData: keepPreviousData }

/**
 * Returns the board and messages of a session's team. Live, they are refetched whenever something happens in the
 * session; in a replay, they are those of its moment.
 */
export function useTeam() {
  const session = useShownSession()
  const moment = useMoment()
  const at = { path: { id: session.sessionId }, query: moment === null ? {} : { at_seq: moment } }
  const key = moment === null ? liveKey(session.sessionId) : ["team", session.sessionId, moment]
  const options = moment === null ? {} : MOMENT
  const boardOf = useResponse(
    [...key, "board"],
    "GET /api/v1/teams/{id}/board",
    { ...at, response: board },
    { ...options },
  )
  const messagesOf = useResponse(
    [...key, "messages"],
    "GET /api/v1/teams/{id}/messages",
    { ...at, response: messages },
    { ...options },
  )
  useFreshness(session)
  return { moment, board: boardOf.data, messages: messagesOf.data?.messages ?? [], error: boardOf.error }
}

/** Returns the event that the replay is at, throttled to the rate at which boards are fetched; null when live. */
function useMoment(): number | null {
  const session = useShownSession()
  const replaySeq = useSessionData((data) => data.replaySeq)
  const [looked, look] = useState(replaySeq)
  // Entering and leaving the replay isn't throttled, so that nobody acts on an outdated board.
  if ((looked === null) !== (replaySeq === null)) look(replaySeq)
  const timer = useRef<number | undefined>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new moment is a reason to look
  useEffect(() => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      look(session.store.getState().replaySeq)
    }, LOOK_BACK_MS)
  }, [session, replaySeq])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  return looked
}

/** Refetches the live board and messages: soon after an event that changes them, and occasionally for usage. */
function useFreshness({ store, sessionId }: SessionStore): void {
  const { clock } = useStudio()
  const client = useQueryClient()
  useEffect(() => {
    const left = new AbortController()
    const { signal } = left
    const fetchAgain = () => client.invalidateQueries({ queryKey: liveKey(sessionId) })
    const soon = pacedLook({ look: fetchAgain, everyMs: LOOK_AGAIN_MS, pause: clock.pause, signal })
    const later = pacedLook({ look: async () => soon(), everyMs: LOOK_AT_USE_MS, pause: clock.pause, signal })
    const unsubscribe = store.subscribe((now, { live: { seq } }) => {
      if (now.live.seq === seq) return
      if (newEvents(now, seq).some(({ type }) => CHANGES.test(type))) soon()
      else later()
    })
    return () => {
      unsubscribe()
      left.abort()
    }
  }, [store, sessionId, client, clock])
}

function newEvents({ segments }: SessionData, since: number): StudioEvent[] {
  const events = segments.at(-1)?.events ?? []
  return events.slice(events.findLastIndex(({ seq }) => seq <= since) + 1)
}

function liveKey(sessionId: string) {
  return ["team", sessionId, "live"]
}
