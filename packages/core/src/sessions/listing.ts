import { setImmediate } from "node:timers/promises"
import { mapConcurrent } from "../concurrency/map-concurrent.ts"
import { isSameRemote } from "../files/worktrees/remote.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../kernel/session-log.ts"
import { isLive } from "../kernel/state.ts"
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
  /** Pinned sessions first, then the most recently active ones. */
  sessions: SessionHandle[]
  /** Cursor for the next page, or null if this is the last page. */
  next: string | null
  /** Number of sessions across all pages. */
  total: number
}

interface Filter {
  /** Only lists sessions whose name contains these words. */
  q?: string
  /** Only lists sessions whose agents work in this repository. */
  repository?: string
  /** True to list only archived sessions. By default, archived sessions are left out. */
  archived?: boolean
  /**
   * Only lists sessions with a team. `total` then counts only this page, because counting all sessions with a team
   * would mean opening every session.
   */
  withTeam?: boolean
}

export interface ListOptions extends Filter {
  /** Value of `next` from the previous page. */
  before?: string
  limit: number
  signal: AbortSignal
}

const AT_ONCE = 8

/**
 * Number of entries to process before giving way to other work. If the store answers immediately, they take a few
 * milliseconds.
 */
const BETWEEN_TURNS = 25

/**
 * Number of entries read at a time if there is a filter. Most entries can be filtered without opening their sessions.
 */
const SEARCHED_AT_ONCE = 500

/**
 * Returns one page of the owner's sessions, in the order of their entries. Entries are only hints: outdated entries on
 * the page are updated for later readers. Entries without a session are skipped and eventually removed.
 */
export async function listSessions(
  deps: SessionLogDeps & { records: Records },
  owner: string,
  { before, limit, q = "", repository, archived = false, withTeam = false, signal }: ListOptions,
): Promise<SessionPage> {
  const found: { session: SessionHandle; cursor: string }[] = []
  const updates: Update[] = []
  const filter = { q: q.trim(), ...(repository !== undefined && { repository }), archived, withTeam }
  const isAll = filter.q === "" && repository === undefined && !withTeam
  let cursor = before
  for (;;) {
    const wanted = isAll ? limit + 1 - found.length : SEARCHED_AT_ONCE
    const range = { before: cursor, limit: wanted, archived, signal }
    const records = await Array.fromAsync(entriesOf(deps.records, owner, range))
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

/** Counts an owner's sessions. Without a filter, counts the entries, and doesn't open the sessions. */
async function countSessions(
  deps: SessionLogDeps & { records: Records },
  owner: string,
  { filter, isAll, signal }: { filter: Filter; isAll: boolean; signal: AbortSignal },
): Promise<number> {
  const entries = entriesOf(deps.records, owner, { archived: filter.archived, signal })
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

/** Returns a task that gives way to other work every few entries, because an owner may have thousands of sessions. */
function inTurns<T>(task: (record: StoredRecord) => Promise<T>): (record: StoredRecord) => Promise<T> {
  let done = 0
  return async (record) => {
    if (++done % BETWEEN_TURNS === 0) await setImmediate()
    return task(record)
  }
}

function matches(state: SessionState, { q = "", repository, archived = false, withTeam }: Filter): boolean {
  if ((state.session.archived ?? false) !== archived) return false
  if (withTeam && state.team === null) return false
  if (repository !== undefined && !isSameRemote(state.session.repository ?? "", repository)) return false
  return q === "" || hasWords(sessionName(state), q)
}

/**
 * Returns true if the entry matches the filter, false if it doesn't, and undefined if the session must be opened to
 * find out.
 */
function toldByEntry(entry: SessionEntry, { q = "", repository, withTeam }: Filter): boolean | undefined {
  const named = q === "" || (hasCurrentName(entry) ? hasWords(entry.name, q) : undefined)
  const placed = repository === undefined || (entry.repository && isSameRemote(entry.repository, repository))
  if (named === false || placed === false) return false
  return named && placed && !withTeam ? true : undefined
}

/**
 * Updates an outdated entry. With `inPlace`, the entry keeps its position in the list. This is used for entries on
 * later pages, which a reader that pages through the list would otherwise miss.
 */
type Update = (options: { inPlace: boolean }) => Promise<void>

/**
 * Returns the session of an entry, unless the filter excludes it. If the entry is outdated, also returns a function
 * that updates it.
 */
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
    // Keep recent entries. A session's entry is created before the session is opened.
    const stale = deps.clock.now() - entry.touched_at > GRACE_MS
    if (stale) await deps.records.remove(record.key, { ifVersion, signal })
    return { cursor }
  }
  const current = currentEntry(entry, state, deps.clock.now())
  const { active_at, pinned, archived } = entry
  const update: Update | undefined =
    current === entry
      ? undefined
      : ({ inPlace }) =>
          writeEntry(deps.records, inPlace ? { ...current, active_at, pinned, archived } : current, {
            ifVersion,
            signal,
          })
  if (!matches(state, filter)) return { cursor, update }
  return {
    cursor,
    update,
    session: { sid: entry.sid, sessionId: entry.session_id, state, history, touchedAt: entry.touched_at },
  }
}

/** Returns the entry as it should be according to the log. Returns the same object if nothing has to be written. */
function currentEntry(entry: SessionEntry, state: SessionState, now: number): SessionEntry {
  const activeAt = Date.parse(state.changedAt ?? "")
  const { pinned, archived = false } = state.session
  const isMoved = entry.pinned !== pinned || entry.archived !== archived
  const isBehind = isMoved || activeAt - entry.active_at >= TOUCH_RESOLUTION_MS
  // The name isn't final while a run is active, because the run's plan may still name the session.
  const isSettled = activeRuns(state).length === 0 && now - activeAt >= TOUCH_RESOLUTION_MS
  const named = isSettled && !hasCurrentName(entry) ? { name: sessionName(state), named_at: now } : {}
  const { repository } = state.session
  const placed = repository !== null && repository !== entry.repository ? { repository } : {}
  const active = isBehind ? { active_at: Math.max(activeAt, entry.active_at), pinned, archived } : {}
  return isBehind || "name" in named || "repository" in placed ? { ...entry, ...active, ...named, ...placed } : entry
}

function asListed(a: SessionHandle, b: SessionHandle): number {
  const pinned = Number(b.state.session.pinned) - Number(a.state.session.pinned)
  return pinned || Date.parse(b.state.changedAt ?? "") - Date.parse(a.state.changedAt ?? "")
}
