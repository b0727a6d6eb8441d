import { AppError } from "../errors.ts"
import { sessionKey } from "../ids.ts"
import type { DueList } from "../kernel/due.ts"
import { logName } from "../kernel/keys.ts"
import { openSession } from "../kernel/rules.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../kernel/session-log.ts"
import { isLive } from "../kernel/state.ts"
import type { SessionState } from "../state.ts"
import type { Records } from "../storage/records.ts"
import { listSessions, type SessionPage } from "./listing.ts"
import { deleteSession } from "./rules.ts"
import {
  lineKey,
  QUIET_MS,
  readLine,
  SESSION_TTL_MS,
  type SessionLine,
  TOUCH_GRAIN_MS,
  writeLine,
} from "./session-index.ts"

export interface TouchedSession {
  session: SessionLog
  sessionId: string
  /** Unix milliseconds. */
  expiresAt: number
}

export interface TouchOptions {
  /** Of a session that is opened by this. */
  name?: string
  /** The repository that its agents will work in. */
  repository?: string
  /** Whether the caller is about to do something in it, which brings it to the top of the list. */
  active?: boolean
  signal: AbortSignal
}

export interface Sessions {
  /** The owner's session of this id, opened if there was none; it expires an hour after it was last touched. */
  touch(owner: string, sessionId: string, options: TouchOptions): Promise<TouchedSession>
  /** The owner's session of this id, touched. Throws `session_not_found` if there is none. */
  find(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<SessionHandle>
  /** The owner's session as its log has it, touched by nobody; undefined if there is none. */
  peek(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<SessionState | undefined>
  /**
   * Marks the session deleted, which cancels its runs; its data goes when no executor can write any more. Deleting what
   * isn't there is fine.
   */
  remove(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<void>
  /** The owner's sessions, the last active first; `before` is where the last page said that this one begins. */
  list(owner: string, options: { before?: string; limit: number; signal: AbortSignal }): Promise<SessionPage>
}

export function createSessions(deps: SessionLogDeps & { records: Records; due: DueList }): Sessions {
  const { records, due, clock } = deps

  async function open(owner: string, sessionId: string, options: { signal: AbortSignal }) {
    const sid = sessionKey(owner, sessionId)
    const [session, line] = await Promise.all([openSessionLog(deps, sid, options), readLine(records, sid, options)])
    const known = line && isLive(session.state) ? line : undefined
    return { sid, session, line: known }
  }

  /** Writes that somebody used the session, unless that was written a moment ago. Resolves to the line that stands. */
  async function keep(line: SessionLine, { active, signal }: { active: boolean; signal: AbortSignal }) {
    const now = clock.now()
    const current = (at: number) => now - at < TOUCH_GRAIN_MS
    if (current(line.touched_at) && (!active || current(line.active_at))) return line
    const kept = { ...line, touched_at: now, ...(active && { active_at: now }) }
    await writeLine(records, kept, { signal })
    return kept
  }

  /** Writes the line of a session that has none. The hint that looks after it comes first, so that none is ever without. */
  async function begin(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<SessionLine> {
    const sid = sessionKey(owner, sessionId)
    const now = clock.now()
    await due.add({ kind: "session", sid }, now + SESSION_TTL_MS + TOUCH_GRAIN_MS, options)
    const line = { sid, owner, session_id: sessionId, created_at: now, touched_at: now, active_at: now }
    await writeLine(records, line, options)
    return line
  }

  async function touch(
    owner: string,
    sessionId: string,
    { name, repository, active = false, signal }: TouchOptions,
  ): Promise<TouchedSession> {
    const { session, line } = await open(owner, sessionId, { signal })
    await (line ? keep(line, { active, signal }) : begin(owner, sessionId, { signal }))
    if (!isLive(session.state)) await session.decide(openSession(sessionId, { name, repository }), { signal })
    return { session, sessionId, expiresAt: clock.now() + SESSION_TTL_MS }
  }

  async function find(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<SessionHandle> {
    const { sid, session, line } = await open(owner, sessionId, options)
    if (!isLive(session.state)) throw await notFound(sid, session.state, options)
    const kept = line ? await keep(line, { active: false, ...options }) : await begin(owner, sessionId, options)
    const { state, history } = session
    return { sid, sessionId, state, history, touchedAt: kept.touched_at }
  }

  /** To its owner, a session that was deleted is told from one that never was. */
  async function notFound(sid: string, state: SessionState, options: { signal: AbortSignal }) {
    const { deleted, since } = state.session
    const ended = deleted && since ? await deps.log.read(logName(sid), since.seq - 1, options).next() : undefined
    const details =
      ended?.value?.type === "session_deleted" ? { deleted_at: ended.value.ts, reason: ended.value.reason } : {}
    return new AppError("session_not_found", "There is no such session.", details)
  }

  async function remove(owner: string, sessionId: string, options: { signal: AbortSignal }): Promise<void> {
    const { sid, session } = await open(owner, sessionId, options)
    if (!isLive(session.state)) return
    await due.add({ kind: "session", sid }, clock.now() + QUIET_MS, options)
    await session.decide(deleteSession("request"), options)
    await records.remove(lineKey(sid), options)
  }

  async function peek(owner: string, sessionId: string, options: { signal: AbortSignal }) {
    const { state } = await openSessionLog(deps, sessionKey(owner, sessionId), options)
    return isLive(state) ? state : undefined
  }

  return { touch, find, peek, remove, list: (owner, options) => listSessions(deps, owner, options) }
}
