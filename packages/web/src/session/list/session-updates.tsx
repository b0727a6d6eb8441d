import { type InfiniteData, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { useLocation } from "wouter"
import { Session, type SessionList } from "../../api/session.ts"
import { useCommand } from "../context/commands.ts"
import { paths } from "../context/routes.ts"
import { useBrowser, useStudio } from "../context/studio.ts"
import { useStreams } from "../view/use-streams.ts"
import { listKey, sessionKey, useListedSession, useSessions, useSessionsChanged } from "./use-sessions.ts"
import { withSummary } from "./with-summary.ts"

/** Sessions followed at a time. The stream has a limit, and needs room for the shown session's other sources. */
const MOST_FOLLOWED = 60

/**
 * Keeps the lists of sessions up to date: follows the active sessions and the shown one over the tab's stream, so that
 * a question is shown at once.
 */
export function SessionUpdates({ shown }: { shown: string | null }) {
  const sessions = useSessions().data?.sessions ?? []
  const active = sessions.filter(({ active, id }) => active && id !== shown).map(({ id }) => id)
  const [, go] = useLocation()
  const next = sessions.find(({ column, id }) => column === "needs_you" && id !== shown)
  useCommand("next-needs", "Go to next session that needs you", next ? () => go(paths.session(next.id)) : null)
  return (
    <>
      {(shown === null ? active : [shown, ...active]).slice(0, MOST_FOLLOWED).map((id) => (
        <Followed key={id} id={id} isListed={sessions.some((session) => session.id === id)} />
      ))}
      {shown !== null && <Viewed id={shown} />}
    </>
  )
}

/** Follows a session. The lists' order changes when its run starts or ends, so they are then refetched. */
function Followed({ id, isListed }: { id: string; isListed: boolean }) {
  const streams = useStreams()
  const client = useQueryClient()
  const latest = useRef({ show: useSummaryShown(), changed: useSessionsChanged() })
  const listed = useRef(isListed)
  listed.current = isListed
  useEffect(() => {
    const controller = new AbortController()
    const { show, changed } = latest.current
    let wasActive: boolean | undefined
    const follow = async () => {
      for await (const update of streams.open({ session: id, summary: true }, { signal: controller.signal })) {
        if (update.type === "refused") changed()
        if (update.type !== "frame" || update.frame.event !== "summary") continue
        const summary = Session.parse(update.frame.data)
        show(summary)
        const isMoved = wasActive !== undefined && wasActive !== summary.active
        if (isMoved || (wasActive === undefined && !listed.current)) changed()
        wasActive = summary.active
        void client.invalidateQueries({ queryKey: ["questions"] })
      }
    }
    follow().catch(() => controller.abort())
    return () => controller.abort()
  }, [streams, id, client])
  return null
}

/** Records that a person has seen the result of the session's last run. Does nothing while the page is hidden. */
function Viewed({ id }: { id: string }) {
  const { api } = useStudio()
  const show = useRef(useSummaryShown())
  const isUnseen = useListedSession(id)?.column === "review"
  const mayChange = useBrowser(({ me }) => me?.scopes.includes("run") ?? false)
  useEffect(() => {
    if (!isUnseen || !mayChange) return
    const view = () => {
      if (document.hidden) return
      const call = { path: { id }, body: { viewed: true as const }, response: Session }
      // Without it, the session only stays among those to review.
      api.call("PATCH /api/v1/sessions/{id}", call).then(show.current, () => undefined)
    }
    view()
    document.addEventListener("visibilitychange", view)
    return () => document.removeEventListener("visibilitychange", view)
  }, [api, id, isUnseen, mayChange])
  return null
}

/** Returns a function that shows a session's new summary wherever it is listed. */
function useSummaryShown(): (summary: Session) => void {
  const client = useQueryClient()
  return (summary) => {
    const lists = client.getQueriesData<InfiniteData<SessionList>>({ queryKey: listKey() })
    for (const [key, data] of lists) if (data) client.setQueryData(key, withSummary(data, summary))
    client.setQueryData(sessionKey(summary.id), summary)
  }
}
