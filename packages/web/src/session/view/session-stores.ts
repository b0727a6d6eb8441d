import type { Studio } from "../context/studio.ts"
import { createSessionStore, type SessionStore } from "../stream/session-store.ts"
import { streamsOf } from "./use-streams.ts"

const KEPT = 4

/**
 * Returns a session's store. The most recent stores stay cached, so that returning to a session is instant. In a
 * separate file, so that the first screen loads without it.
 */
export function sessionStoreOf(studio: Studio, sessionId: string): SessionStore {
  const { sessions, clock, api } = studio
  const found = sessions.get(sessionId) ?? createSessionStore({ ...clock, api, streams: streamsOf(studio) }, sessionId)
  sessions.delete(sessionId)
  sessions.set(sessionId, found)
  for (const oldest of [...sessions.keys()].slice(0, Math.max(0, sessions.size - KEPT))) sessions.delete(oldest)
  return found
}
