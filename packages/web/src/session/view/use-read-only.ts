import type { SessionStore } from "../stream/session-store.ts"
import { useSessionData } from "./use-session.ts"

/** The reason why nothing can be changed now; null when it can. */
export function useReadOnly(session: SessionStore): string | null {
  return useSessionData(session, ({ replaySeq, connection }) => {
    if (replaySeq !== null) return "You're viewing an earlier moment. Return to live to make changes."
    if (connection.state === "reconnecting") return "Offline. Showing the last known state."
    return null
  })
}
