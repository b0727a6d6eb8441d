import { useEffect, useMemo } from "react"
import { useStore } from "zustand"
import { useStudio } from "../context/studio.ts"
import { useSessionsChanged } from "../list/use-sessions.ts"
import { isRunning } from "../stream/run.ts"
import type { SessionData } from "../stream/session-data.ts"
import type { SessionStore } from "../stream/session-store.ts"
import { sessionStoreOf } from "./session-stores.ts"

/** The session's store, which follows the log while the screen is mounted. */
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

export function useSessionData<T>(session: SessionStore, pick: (data: SessionData) => T): T {
  return useStore(session.store, pick)
}

/** The list of sessions shows this one's progress and its project's name, so it is refetched with them. */
function useListFollows(session: SessionStore): void {
  const changed = useSessionsChanged()
  const status = useSessionData(session, ({ live }) => live.run?.status)
  const step = useSessionData(session, ({ live }) => (isRunning(live.run) ? live.graph.stepsFinished : -1))
  const total = useSessionData(session, ({ live }) => live.graph.stepsTotal)
  const turn = useSessionData(session, ({ live }) => live.chat?.turn?.requestId)
  const project = useSessionData(session, ({ live }) => live.conversation.at(-1)?.plan?.name)
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what the list shows
  useEffect(changed, [status, step, total, turn, project])
}
