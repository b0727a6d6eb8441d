import type { Studio } from "../context/studio.ts"
import { createSessionStore, type SessionStore } from "../stream/session-store.ts"

const KEPT = 4

/**
 * The store of a session. Those that were looked at last keep what they have read, so that coming back to one shows it at
 * once. Apart from the studio itself, which shows its first screen without any of this.
 */
export function sessionStoreOf({ sessions, clock, api }: Studio, sessionId: string): SessionStore {
  const found = sessions.get(sessionId) ?? createSessionStore({ ...clock, api }, sessionId)
  sessions.delete(sessionId)
  sessions.set(sessionId, found)
  for (const oldest of [...sessions.keys()].slice(0, Math.max(0, sessions.size - KEPT))) sessions.delete(oldest)
  return found
}
