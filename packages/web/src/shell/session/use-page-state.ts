import { useEffect, useRef } from "react"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { notificationText, type PageState, pageIcon, pageState, pageTitle } from "../../session/view/page-state.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { askToNotifyOnce, notify } from "./notify.ts"

/** Shows the session and its state in the tab's title and icon, and notifies of changes while the tab is hidden. */
export function usePageState(session: SessionStore, name: string | undefined): void {
  const state = useSessionData(session, pageState)
  const error = useSessionData(session, ({ live }) => live.run?.error?.message ?? null)
  useTitle(name, state)
  useIcon(state)
  useNotifications(session.sessionId, name ?? "Session", state, error)
}

function useTitle(name: string | undefined, state: PageState): void {
  useEffect(() => {
    if (name === undefined) return
    document.title = pageTitle(name, state)
    return () => {
      document.title = "Switchyard"
    }
  }, [name, state])
}

function useIcon(state: PageState): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    const icon = pageIcon(state)
    if (!link || icon === null) return
    const before = link.href
    link.href = icon
    return () => {
      link.href = before
    }
  }, [state])
}

function useNotifications(sessionId: string, name: string, state: PageState, error: string | null): void {
  const last = useRef<PageState>(state)
  useEffect(() => {
    // The state of before counts until the connection is back.
    if (state === "offline") return
    const before = last.current
    last.current = state
    // The start of a run is the moment to ask: now there is something to wait for.
    if (state === "working" && before !== "working") askToNotifyOnce(localStorage)
    const text = notificationText(before, state, error)
    if (text !== null && document.hidden) notify(sessionId, name, text)
  }, [sessionId, name, state, error])
}
