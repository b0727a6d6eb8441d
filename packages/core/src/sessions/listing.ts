import { setImmediate } from "node:timers/promises"
import { isSameRemote } from "../files/worktrees/remote.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../kernel/session-log.ts"
import { isLive } from "../kernel/state.ts"
import { mapConcurrent } from "../map-concurrent.ts"
import type { SessionState } from "../state.ts"
import type { Records, StoredRecord } from "../storage/records.ts"
import { activeRuns } from "../work/runs/state.ts"
import {
  entriesOf,
  GRACE_MS,
  hasCurrentName,
  SessionEntry,
  sortKey,
  TOUCH_RESOLUTION_MS,
  writeEntry,
} from "./session-index.ts"
import { sessionName } from "./session-name.ts"
import { hasWords } from "./word-search.ts"

export interface SessionPage {
  /** Pinned ones first, then the last active. */
  sessions: SessionHandle[]
  /** The cursor of the next page; null if there is none. */
  next: string | null
  /** The number of sessions on all pages. */
  total: number
}

/** The sessions to list, where that isn't all. */
interface Filter {
  /** Only sessions whose name has these words. */
  q?: string
  /** Only sessions whose agents work in this repository. */
  repository?: string
  /** Only sessions with a team. Their number on all pages is not counted: that would open every session. */
  withTeam?: boolean
}

export interface ListOptions extends Filter {
  /** The `next` of the page before. */
  before?: string
  limit: number
  signal: AbortSignal
}

const AT_ONCE = 8

/** Entries after which other work has its turn: a few milliseconds of them, where the store answers at once. */
const BETWEEN_TURNS = 25

/** Entries that are read at a time where not all are shown: most are told from what they say, without a look at the session. */
const SEARCHED_AT_ONCE = 500

/**
 * One page of the owner's sessions, as the entries of the list have them. Entries are hints: an outdated one on the page is
 * updated for the next reader, one without a session is skipped, and in the end removed.
 */
export async function listSessions(
  deps: SessionLogDeps & { records: Records },
  owner: string,
  { before, limit, q = "", repository, withTeam = false, signal }: ListOptions,
): Promise<SessionPage> {
  const found: { session: SessionHandle; cursor: string }[] = []
  const updates: Update[] = []
  const filter = { q: q.trim(), ...(repository !== undefined && { repository }), withTeam }
  const isAll = filter.q === "" && repository === undefined && !withTeam
  let cursor = before
  for (;;) {
    const wanted = isAll ? limit + 1 - found.length : SEARCHED_AT_ONCE
    const records = await Array.fromAsync(entriesOf(deps.records, owner, { before: cursor, limit: wanted, signal }))
    const resolve = inTurns((record: StoredRecord) => resolveEntry(deps, record, filter, signal))
    const resolved = mapConcurrent(records, resolve, { atOnce: AT_ONCE })
    for await (const one of resolved) {
      cursor = one.cursor
      if (one.session) found.push({ session: one.session, cursor: one.cursor })
      if (found.length > limit) break
      if (one.update) updates.push(one.update)
    }
    if (records.length < wanted || found.length > limit) break
  }
  for (const update of updates) await update({ inPlace: false })
  const page = found.slice(0, limit)
  const next = found.length > limit ? (page.at(-1)?.cursor ?? null) : null
  const isWhole = before === undefined && next === null
  const total = isWhole || withTeam ? page.length : await countSessions(deps, owner, { filter, isAll, signal })
  return { sessions: page.map(({ session }) => session).sort(asListed), next, total }
}

/** The number of an owner's sessions. Of all of them the entries are counted, without a look at the sessions. */
async function countSessions(
  deps: SessionLogDeps & { records: Records },
  owner: string,
  { filter, isAll, signal }: { filter: Filter; isAll: boolean; signal: AbortSignal },
): Promise<number> {
  const entries = entriesOf(deps.records, owner, { signal })
  if (isAll) return (await Array.fromAsync(entries)).length
  let count = 0
  const isMatch = async (record: StoredRecord) => {
    const entry = SessionEntry.parse(record.value)
    const told = toldByEntry(entry, filter)
    if (told !== undefined) return told
    const { session, update } = await resolveEntry(deps, record, filter, signal)
    await update?.({ inPlace: true })
    return session !== undefined
  }
  for await (const found of mapConcurrent(await Array.fromAsync(entries), inTurns(isMatch), { atOnce: AT_ONCE })) {
    if (found) count++
  }
  return count
}

/** The same task for many entries, with turns of other work in between: an owner may have thousands of sessions. */
function inTurns<T>(task: (record: StoredRecord) => Promise<T>): (record: StoredRecord) => Promise<T> {
  let done = 0
  return async (record) => {
    if (++done % BETWEEN_TURNS === 0) await setImmediate()
    return task(record)
  }
}

function matches(state: SessionState, { q = "", repository, withTeam }: Filter): boolean {
  if (withTeam && state.team === null) return false
  if (repository !== undefined && !isSameRemote(state.session.repository ?? "", repository)) return false
  return q === "" || hasWords(sessionName(state), q)
}

/** Whether the session is one of those, as far as its entry tells. */
function toldByEntry(entry: SessionEntry, { q = "", repository, withTeam }: Filter): boolean | undefined {
  const named = q === "" || (hasCurrentName(entry) ? hasWords(entry.name, q) : undefined)
  const placed = repository === undefined || (entry.repository && isSameRemote(entry.repository, repository))
  if (named === false || placed === false) return false
  return named && placed && !withTeam ? true : undefined
}

/** Writes what is outdated of an entry. One of a later page keeps its place in the list: moved up, it would be on no page. */
type Update = (options: { inPlace: boolean }) => Promise<void>

/** The session of an entry, and what updates the entry if it is outdated; none if it isn't what is searched for. */
async function resolveEntry(
  deps: SessionLogDeps & { records: Records },
  record: StoredRecord,
  filter: Filter,
  signal: AbortSignal,
) {
  const entry = SessionEntry.parse(record.value)
  const cursor = sortKey(entry)
  if (toldByEntry(entry, filter) === false) return { cursor }
  const { state, history } = await openSessionLog(deps, entry.sid, { signal })
  const ifVersion = record.version
  if (!isLive(state)) {
    // A session that is being opened has an entry before it exists.
    const stale = deps.clock.now() - entry.touched_at > GRACE_MS
    if (stale) await deps.records.remove(record.key, { ifVersion, signal })
    return { cursor }
  }
  const current = currentEntry(entry, state, deps.clock.now())
  const { active_at, pinned } = entry
  const update: Update | undefined =
    current === entry
      ? undefined
      : ({ inPlace }) =>
          writeEntry(deps.records, inPlace ? { ...current, active_at, pinned } : current, { ifVersion, signal })
  if (!matches(state, filter)) return { cursor, update }
  return {
    cursor,
    update,
    session: { sid: entry.sid, sessionId: entry.session_id, state, history, touchedAt: entry.touched_at },
  }
}

/** The entry as the log has it; the same object if it needn't be written. */
function currentEntry(entry: SessionEntry, state: SessionState, now: number): SessionEntry {
  const activeAt = Date.parse(state.changedAt ?? "")
  const isBehind = activeAt - entry.active_at >= TOUCH_RESOLUTION_MS || entry.pinned !== state.session.pinned
  // While a run is active its plan may still name the session.
  const isSettled = activeRuns(state).length === 0 && now - activeAt >= TOUCH_RESOLUTION_MS
  const named = isSettled && !hasCurrentName(entry) ? { name: sessionName(state), named_at: now } : {}
  const { repository } = state.session
  const placed = repository !== null && repository !== entry.repository ? { repository } : {}
  const active = isBehind ? { active_at: Math.max(activeAt, entry.active_at), pinned: state.session.pinned } : {}
  return isBehind || "name" in named || "repository" in placed ? { ...entry, ...active, ...named, ...placed } : entry
}

function asListed(a: SessionHandle, b: SessionHandle): number {
  const pinned = Number(b.state.session.pinned) - Number(a.state.session.pinned)
  return pinned || Date.parse(b.state.changedAt ?? "") - Date.parse(a.state.changedAt ?? "")
}
