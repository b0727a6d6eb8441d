import { createContext, useContext, useEffect, useMemo } from "react"
import { useStore } from "zustand"
import { useStudio } from "../context/studio.ts"
import type { SessionData } from "../stream/session-data.ts"
import type { SessionStore } from "../stream/session-store.ts"
import { sessionStoreOf } from "./session-stores.ts"

/** Returns the session's store, which follows the log while the screen is mounted. */
export function useSession(id: string): SessionStore {
  const studio = useStudio()
  const session = useMemo(() => sessionStoreOf(studio, id), [studio, id])
  useEffect(() => {
    const controller = new AbortController()
    session.follow({ signal: controller.signal })
    return () => controller.abort()
  }, [session])
  return session
}

const Shown = createContext<SessionStore | null>(null)
/** Provides a screen's session to its parts. */
export const ShownSession = Shown.Provider

/** Returns the session shown on the screen. */
export function useShownSession(): SessionStore {
  const session = useContext(Shown)
  if (!session) throw new Error("Couldn't show this view. Reload the page.")
  return session
}

/** Returns a part of the shown session's data. The component re-renders when it changes. */
export function useSessionData<T>(pick: (data: SessionData) => T): T {
  return useDataOf(useShownSession(), pick)
}

/** The same for a session that may be another one. */
export function useDataOf<T>(session: SessionStore, pick: (data: SessionData) => T): T {
  return useStore(session.store, pick)
}

/** Returns why nothing can be changed now; null if it can. */
export function useReadOnly(): string | null {
  return useSessionData(({ replaySeq, connection }) => {
    if (replaySeq !== null) return "You're viewing an earlier point in this session. Go back to live to make changes."
    return connection.state === "reconnecting" ? "Offline. Showing the last known state." : null
  })
}
