import type { SessionHandle } from "../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../kernel/session-log.ts"
import { isLive } from "../kernel/state.ts"
import { ahead } from "../map-concurrent.ts"
import type { Records, StoredRecord } from "../storage/records.ts"
import { linesOf, placeOf, QUIET_MS, SessionLine, TOUCH_GRAIN_MS, writeLine } from "./session-index.ts"

export interface SessionPage {
  /** The last active one first. */
  sessions: SessionHandle[]
  /** The cursor of the next page; null if there is none. */
  next: string | null
}

const AT_ONCE = 8

/**
 * One page of the owner's sessions, as the lines of the list have them. Lines are hints: one that stands too low moves up
 * for the next reader, one without a session is passed over, and in the end removed.
 */
export async function listSessions(
  deps: SessionLogDeps & { records: Records },
  owner: string,
  { before, limit, signal }: { before?: string; limit: number; signal: AbortSignal },
): Promise<SessionPage> {
  const found: { session: SessionHandle; place: string }[] = []
  let place = before
  for (;;) {
    const wanted = limit + 1 - found.length
    const records = await Array.fromAsync(linesOf(deps.records, owner, { before: place, limit: wanted, signal }))
    const looked = ahead(records, (record) => look(deps, record, signal), { atOnce: AT_ONCE })
    for await (const one of looked) {
      place = one.place
      if (one.session) found.push({ session: one.session, place: one.place })
    }
    if (records.length < wanted || found.length > limit) break
  }
  const page = found.slice(0, limit)
  const next = found.length > limit ? (page.at(-1)?.place ?? null) : null
  return { sessions: page.map(({ session }) => session).sort(lastActiveFirst), next }
}

/** The session of a line, and the line put right. */
async function look(deps: SessionLogDeps & { records: Records }, record: StoredRecord, signal: AbortSignal) {
  const line = SessionLine.parse(record.value)
  const place = placeOf(line)
  const { state, history } = await openSessionLog(deps, line.sid, { signal })
  const ifVersion = record.version
  if (!isLive(state)) {
    // One that is being opened at this moment has a line before it is a session.
    const stale = deps.clock.now() - line.touched_at > QUIET_MS
    if (stale) await deps.records.remove(record.key, { ifVersion, signal })
    return { place }
  }
  const activeAt = Date.parse(state.changedAt ?? "")
  if (activeAt - line.active_at >= TOUCH_GRAIN_MS) {
    await writeLine(deps.records, { ...line, active_at: activeAt }, { ifVersion, signal })
  }
  return {
    place,
    session: { sid: line.sid, sessionId: line.session_id, state, history, touchedAt: line.touched_at },
  }
}

function lastActiveFirst(a: SessionHandle, b: SessionHandle): number {
  return Date.parse(b.state.changedAt ?? "") - Date.parse(a.state.changedAt ?? "")
}
