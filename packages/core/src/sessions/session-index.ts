import * as z from "zod"
import { sessionKey } from "../ids.ts"
import type { DueList } from "../kernel/due.ts"
import type { Records, StoredRecord } from "../storage/records.ts"

/**
 * A session's entry in its owner's list, with its last use. The entry is only a hint, because the session's log is
 * authoritative.
 */
export const SessionEntry = z.object({
  sid: z.string(),
  owner: z.string(),
  session_id: z.string(),
  /** Unix milliseconds, like all times in the entry. */
  created_at: z.number(),
  touched_at: z.number(),
  /** Time of the last recorded activity. */
  active_at: z.number().default(0),
  /** When the session was first found overdue after the touch at `touched_at`. */
  overdue: z.object({ touched_at: z.number(), since: z.number() }).nullable().default(null),
  pinned: z.boolean().default(false),
  /** Name as last read from the log, and when it was read. See `hasCurrentName`. */
  name: z.string().optional(),
  named_at: z.number().default(0),
  /** Repository, which never changes once set. */
  repository: z.string().optional(),
})
export type SessionEntry = z.infer<typeof SessionEntry>

interface TouchDeps {
  records: Records
  due: Pick<DueList, "add">
  clock: { now(): number }
}

/** Time for which a session stays warm after a touch, as in the HTTP contract. */
export const SESSION_TTL_MS = 3600_000

/**
 * Minimum time between two recorded touches. An entry may lag by this much, because touches in between aren't recorded.
 */
export const TOUCH_RESOLUTION_MS = 60_000

/**
 * Extra time for an overdue session, starting when it was first found overdue. A starting machine's clock may be wrong,
 * or may just have been corrected.
 */
export const OVERDUE_MS = 86_400_000

/** Time after which writers from before a session was deleted or reopened can no longer write to it. */
export const GRACE_MS = 15 * 60_000

export async function readEntry(
  records: Records,
  sid: string,
  options: { signal?: AbortSignal },
): Promise<SessionEntry | undefined> {
  const record = await records.get(entryKey(sid), options)
  return record && SessionEntry.parse(record.value)
}

export async function writeEntry(
  records: Records,
  entry: SessionEntry,
  options: { ifVersion?: number; signal?: AbortSignal },
): Promise<void> {
  const listed = { list: listName(entry.owner), order: sortKey(entry) }
  await records.put(entryKey(entry.sid), { value: entry }, { listed, ...options })
}

/**
 * Records that a session was used, and creates its entry if it has none. Writes nothing if the same use was recorded a
 * moment ago. Returns the current entry.
 */
export function touchEntry(
  deps: TouchDeps,
  { owner, sessionId, entry }: { owner: string; sessionId: string; entry: SessionEntry | undefined },
  { active = false, signal }: { active?: boolean; signal: AbortSignal },
): Promise<SessionEntry> {
  return entry ? recordTouch(deps, entry, { active, signal }) : createEntry(deps, owner, sessionId, { signal })
}

/**
 * Returns an entry's sort key in its owner's list. Pinned entries sort above all others. The time is padded, so that
 * the keys sort by time.
 */
export function sortKey({ active_at, pinned, sid }: SessionEntry): string {
  return `${pinned ? "1" : "0"}${String(active_at).padStart(14, "0")}/${sid}`
}

/**
 * True if the entry's name can't have changed since it was read. A run may change the name, and records its activity
 * unless other activity was recorded moments before. So the name also counts as unknown if it was read right after
 * activity.
 */
export function hasCurrentName(entry: SessionEntry): entry is SessionEntry & { name: string } {
  return entry.name !== undefined && entry.named_at - entry.active_at >= TOUCH_RESOLUTION_MS
}

/**
 * Yields the owner's entries below a sort key, most recently active first: at most `limit`, or all of them by default.
 */
export async function* entriesOf(
  records: Records,
  owner: string,
  { before, limit, signal }: { before?: string; limit?: number; signal?: AbortSignal },
): AsyncGenerator<StoredRecord> {
  // Read one more entry: the bound is inclusive, and the entry at the bound was on the previous page.
  const most = before === undefined || limit === undefined ? limit : limit + 1
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const record of records.byList(listName(owner), { to: before, limit: most, reverse: true, signal })) {
    if (sortKey(SessionEntry.parse(record.value)) !== before && left-- > 0) yield record
  }
}

/** Returns a key outside the session's partitions, because a runner must not change its session's owner. */
export function entryKey(sid: string): { partition: string; sort: string } {
  return { partition: `session/${sid}`, sort: "line" }
}

async function recordTouch(
  { records, clock }: TouchDeps,
  entry: SessionEntry,
  { active, signal }: { active: boolean; signal: AbortSignal },
): Promise<SessionEntry> {
  const now = clock.now()
  const current = (at: number) => now - at < TOUCH_RESOLUTION_MS
  if (current(entry.touched_at) && (!active || current(entry.active_at))) return entry
  const touched = { ...entry, touched_at: now, ...(active && { active_at: now }) }
  await writeEntry(records, touched, { signal })
  return touched
}

/** Creates a session's entry. The sweep's hint is written first, so that every entry has one. */
async function createEntry(
  { records, due, clock }: TouchDeps,
  owner: string,
  sessionId: string,
  options: { signal: AbortSignal },
): Promise<SessionEntry> {
  const sid = sessionKey(owner, sessionId)
  const now = clock.now()
  await due.add({ kind: "session", sid }, now + SESSION_TTL_MS + TOUCH_RESOLUTION_MS, options)
  const times = { created_at: now, touched_at: now, active_at: now }
  const entry = SessionEntry.parse({ sid, owner, session_id: sessionId, ...times })
  await writeEntry(records, entry, options)
  return entry
}

function listName(owner: string): string {
  return `sessions/${owner}`
}
