import * as z from "zod"
import { sessionKey } from "../ids.ts"
import type { DueList } from "../runs/due.ts"
import type { Records } from "../storage/records.ts"
import { QUIET_MS } from "./expiry.ts"
import { deleteSession, openSession } from "./rules.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "./session-log.ts"
import { isLive } from "./state.ts"

/** A session's line in its owner's list, and until when it is kept warm. A hint: what the session is, its log says. */
export const SessionLine = z.object({
  sid: z.string(),
  owner: z.string(),
  session_id: z.string(),
  /** Unix milliseconds, as all times here. */
  created_at: z.number(),
  touched_at: z.number(),
})
export type SessionLine = z.infer<typeof SessionLine>

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

/** How long a session stays warm after a touch, as the HTTP contract says. */
export const SESSION_TTL_MS = 3600_000

/** Touches closer together than this write nothing, so a line may be that much behind. */
export const TOUCH_GRAIN_MS = 60_000

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

export async function readLine(
  records: Records,
  sid: string,
  options: { signal?: AbortSignal },
): Promise<SessionLine | undefined> {
  const record = await records.get(lineKey(sid), options)
  return record && SessionLine.parse(record.value)
}

export async function writeLine(
  records: Records,
  line: SessionLine,
  { signal }: { signal?: AbortSignal },
): Promise<void> {
  const order = `${String(line.created_at).padStart(15, "0")}/${line.sid}`
  await records.put(lineKey(line.sid), { value: line }, { listed: { list: listOf(line.owner), order }, signal })
}

/** Outside the session's own partitions: whose a session is may not be written by what runs in it. */
export function lineKey(sid: string): { partition: string; sort: string } {
  return { partition: `session/${sid}`, sort: "line" }
}

function listOf(owner: string): string {
  return `sessions/${owner}`
}
