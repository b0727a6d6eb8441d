import type { SessionStore } from "../stream/session-store.ts"
import { useSessionData } from "./use-session.ts"

/** Why nothing can be changed now, in words; null when it can. */
export function useReadOnly(session: SessionStore): string | null {
  return useSessionData(session, ({ replaySeq, connection }) => {
    if (replaySeq !== null) return "This is an earlier moment. Go back to live to change something."
    if (connection.state === "reconnecting") return "The server can't be reached. What you see is what was last known."
    return null
  })
}
