import { sessionKey } from "../ids.ts"
import type { DueList } from "../runs/due.ts"
import type { Records } from "../storage/records.ts"
import { lineKey, listOf, QUIET_MS, readLine, SESSION_TTL_MS, SessionLine, TOUCH_GRAIN_MS, writeLine } from "./line.ts"
import { deleteSession, openSession } from "./rules.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "./session-log.ts"
import { isLive } from "./state.ts"

export interface TouchedSession {
  session: SessionLog
  sessionId: string
  /** Unix milliseconds. */
  expiresAt: number
}

export interface Sessions {
  /** The owner's session of this id, opened if there was none; it expires an hour after it was last touched. */
  touch(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<TouchedSession>
  /**
   * Marks the session deleted, which cancels its runs; its data goes when no executor can write any more. Deleting what
   * isn't there is fine.
   */
  remove(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<void>
  /** The owner's sessions, newest first. */
  list(owner: string, options: { limit?: number; signal?: AbortSignal }): AsyncGenerator<SessionLine>
}

export function createSessions(deps: SessionLogDeps & { records: Records; due: DueList }): Sessions {
  const { records, due, clock } = deps

  async function touch(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<TouchedSession> {
    const sid = sessionKey(owner, sessionId)
    const now = clock.now()
    const [session, line] = await Promise.all([openSessionLog(deps, sid, options), readLine(records, sid, options)])
    const isNew = !line || !isLive(session.state)
    if (isNew || now - line.touched_at >= TOUCH_GRAIN_MS) {
      // The hint that looks after the session comes first, so that no session is ever without one.
      if (isNew) await due.add({ kind: "session", sid }, now + SESSION_TTL_MS + TOUCH_GRAIN_MS, options)
      const createdAt = isNew ? now : line.created_at
      await writeLine(records, { sid, owner, session_id: sessionId, created_at: createdAt, touched_at: now }, options)
    }
    if (!isLive(session.state)) await session.decide(openSession(sessionId), options)
    return { session, sessionId, expiresAt: now + SESSION_TTL_MS }
  }

  async function remove(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<void> {
    const sid = sessionKey(owner, sessionId)
    const session = await openSessionLog(deps, sid, options)
    if (!isLive(session.state)) return
    await due.add({ kind: "session", sid }, clock.now() + QUIET_MS, options)
    await session.decide(deleteSession("request"), options)
    await records.remove(lineKey(sid), options)
  }

  return {
    touch,
    remove,
    async *list(owner, options) {
      for await (const { value } of records.byList(listOf(owner), { ...options, reverse: true })) {
        yield SessionLine.parse(value)
      }
    },
  }
}
