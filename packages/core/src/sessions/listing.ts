import type { SessionHandle } from "../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../kernel/session-log.ts"
import { isLive } from "../kernel/state.ts"
import { mapConcurrent } from "../map-concurrent.ts"
import type { Records, StoredRecord } from "../storage/records.ts"
import { entriesOf, GRACE_MS, SessionEntry, sortKey, TOUCH_RESOLUTION_MS, writeEntry } from "./session-index.ts"

export interface SessionPage {
  /** The last active one first. */
  sessions: SessionHandle[]
  /** The cursor of the next page; null if there is none. */
  next: string | null
}

const AT_ONCE = 8

/**
 * One page of the owner's sessions, as the entries of the list have them. Entries are hints: an outdated one is updated for
 * the next reader, one without a session is skipped, and in the end removed.
 */
export async function listSessions(
  deps: SessionLogDeps & { records: Records },
  owner: string,
  { before, limit, signal }: { before?: string; limit: number; signal: AbortSignal },
): Promise<SessionPage> {
  const found: { session: SessionHandle; cursor: string }[] = []
  let cursor = before
  for (;;) {
    const wanted = limit + 1 - found.length
    const records = await Array.fromAsync(entriesOf(deps.records, owner, { before: cursor, limit: wanted, signal }))
    const resolved = mapConcurrent(records, (record) => resolveEntry(deps, record, signal), { atOnce: AT_ONCE })
    for await (const one of resolved) {
      cursor = one.cursor
      if (one.session) found.push({ session: one.session, cursor: one.cursor })
    }
    if (records.length < wanted || found.length > limit) break
  }
  const page = found.slice(0, limit)
  const next = found.length > limit ? (page.at(-1)?.cursor ?? null) : null
  return { sessions: page.map(({ session }) => session).sort(lastActiveFirst), next }
}

/** The session of an entry, which is updated if it is outdated. */
async function resolveEntry(deps: SessionLogDeps & { records: Records }, record: StoredRecord, signal: AbortSignal) {
  const entry = SessionEntry.parse(record.value)
  const cursor = sortKey(entry)
  const { state, history } = await openSessionLog(deps, entry.sid, { signal })
  const ifVersion = record.version
  if (!isLive(state)) {
    // A session that is being opened has an entry before it exists.
    const stale = deps.clock.now() - entry.touched_at > GRACE_MS
    if (stale) await deps.records.remove(record.key, { ifVersion, signal })
    return { cursor }
  }
  const activeAt = Date.parse(state.changedAt ?? "")
  if (activeAt - entry.active_at >= TOUCH_RESOLUTION_MS) {
    await writeEntry(deps.records, { ...entry, active_at: activeAt }, { ifVersion, signal })
  }
  return {
    cursor,
    session: { sid: entry.sid, sessionId: entry.session_id, state, history, touchedAt: entry.touched_at },
  }
}

function lastActiveFirst(a: SessionHandle, b: SessionHandle): number {
  return Date.parse(b.state.changedAt ?? "") - Date.parse(a.state.changedAt ?? "")
}
