import { useEffect, useRef } from "react"
import { storeItem } from "../../api/store-item.ts"
import { useListedSession } from "../../session/list/use-sessions.ts"
import { notificationText, type PageState, pageIcon, pageState, pageTitle } from "../../session/view/page-state.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"

/** Shows the session and its state in the tab's title and icon, and notifies of changes while the tab is hidden. */
export function TabState(): null {
  const { sessionId } = useShownSession()
  const name = useListedSession(sessionId)?.name
  const state = useSessionData(pageState)
  const error = useSessionData(({ live }) => live.run?.error?.message ?? null)
  useTitle(name, state)
  useIcon(state)
  useNotifications(sessionId, name ?? "Session", state, error)
  return null
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
    // Keep the previous state until the connection is back.
    if (state === "offline") return
    const before = last.current
    last.current = state
    // The start of a run is a good time to ask, because now there is something to wait for.
    if (state === "working" && before !== "working") askToNotifyOnce(localStorage)
    const text = notificationText(before, state, error)
    if (text !== null && document.hidden) notify(sessionId, name, text)
  }, [sessionId, name, state, error])
}

const ASKED = "switchyard.asked-to-notify"

/** Asks for permission to notify: only once per browser, and only right after a user action. */
function askToNotifyOnce(storage: Storage): void {
  if (!("Notification" in window) || Notification.permission !== "default") return
  if (storage.getItem(ASKED) !== null || document.hidden || !navigator.userActivation?.isActive) return
  if (storeItem(storage, ASKED, "yes")) void Notification.requestPermission()
}

/** Shows a notification, replacing the session's previous one. */
function notify(sessionId: string, title: string, body: string): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return
  try {
    const shown = new Notification(title, { body, tag: sessionId, icon: "/favicon.svg" })
    shown.onclick = () => {
      window.focus()
      shown.close()
    }
  } catch (error) {
    // Mobile browsers allow notifications only from service workers.
    if (!(error instanceof TypeError)) throw error
  }
}
