import type { SessionStore } from "../stream/session-store.ts"
import { useSessionData } from "./use-session.ts"

/** Why nothing can be changed now, in words; null when it can. */
export function useReadOnly(session: SessionStore): string | null {
  return useSessionData(session, ({ replaySeq, connection }) => {
    if (replaySeq !== null) return "You're viewing an earlier moment. Return to live to make changes."
    if (connection.state === "reconnecting") return "Offline. Showing the last known state."
    return null
  })
}
