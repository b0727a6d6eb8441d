import { createContext, useContext, useEffect, useMemo } from "react"
import { useStore } from "zustand"
import { useStudio } from "../context/studio.ts"
import { useSessionsChanged } from "../list/use-sessions.ts"
import { isRunning } from "../stream/run.ts"
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
  useListFollows(session)
  return session
}

const Shown = createContext<SessionStore | null>(null)
/** Provides a screen's session to its parts. */
export const ShownSession = Shown.Provider

/** Returns the session shown on the screen. */
export function useShownSession(): SessionStore {
  const session = useContext(Shown)
  if (!session) throw new Error("A part of a session's screen was shown outside of it.")
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
    if (replaySeq !== null) return "You're viewing an earlier moment. Return to live to make changes."
    return connection.state === "reconnecting" ? "Offline. Showing the last known state." : null
  })
}

/** The session list shows this session's progress and project name, so it is refetched when they change. */
function useListFollows(session: SessionStore): void {
  const changed = useSessionsChanged()
  const status = useDataOf(session, ({ live }) => live.run?.status)
  const step = useDataOf(session, ({ live }) => (isRunning(live.run) ? live.graph.stepsFinished : -1))
  const total = useDataOf(session, ({ live }) => live.graph.stepsTotal)
  const turn = useDataOf(session, ({ live }) => live.chat?.turn?.requestId)
  const project = useDataOf(session, ({ live }) => live.conversation.at(-1)?.plan?.name)
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what the list shows
  useEffect(changed, [status, step, total, turn, project])
}
