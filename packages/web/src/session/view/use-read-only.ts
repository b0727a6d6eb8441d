import { useSessionData } from "./use-session.ts"

/** Returns why nothing can be changed now; null if it can. */
export function useReadOnly(): string | null {
  return useSessionData(({ replaySeq, connection }) => {
    if (replaySeq !== null) return "You're viewing an earlier moment. Return to live to make changes."
    if (connection.state === "reconnecting") return "Offline. Showing the last known state."
    return null
  })
}
