import { createSessionStore, type SessionStore, type StoreDeps } from "../stream/session-store.ts"

export interface SessionStores {
  /** The store of a session: the same one as long as it is among the few that were open last. */
  of(sessionId: string): SessionStore
}

const KEPT = 4

/** Sessions that were looked at lately keep what they have read, so that coming back to one shows it at once. */
export function createSessionStores(deps: StoreDeps): SessionStores {
  const kept = new Map<string, SessionStore>()
  return {
    of: (sessionId) => {
      const found = kept.get(sessionId) ?? createSessionStore(deps, sessionId)
      kept.delete(sessionId)
      kept.set(sessionId, found)
      for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - KEPT))) kept.delete(oldest)
      return found
    },
  }
}
