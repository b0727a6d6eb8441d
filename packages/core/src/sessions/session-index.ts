import * as z from "zod"
import { sessionKey } from "../ids.ts"
import type { DueList } from "../kernel/due.ts"
import type { Records, StoredRecord } from "../storage/records.ts"

/**
 * A session's entry in its owner's list, with the time when the session was last used. Only a hint, because the
 * session's log is authoritative.
 */
export const SessionEntry = z.object({
  sid: z.string(),
  owner: z.string(),
  session_id: z.string(),
  /** In Unix milliseconds, like all times in the entry. */
  created_at: z.number(),
  touched_at: z.number(),
  /** Time of the last recorded activity. */
  active_at: z.number().default(0),
  /** Time when the session was first found overdue, and the touch after which it became overdue. */
  overdue: z.object({ touched_at: z.number(), since: z.number() }).nullable().default(null),
  pinned: z.boolean().default(false),
  archived: z.boolean().default(false),
  /** Name of the session when it was last read from the log, and the time of that read. See `hasCurrentName`. */
  name: z.string().optional(),
  named_at: z.number().default(0),
  /** Repository. It never changes once it is set. */
  repository: z.string().optional(),
})
export type SessionEntry = z.infer<typeof SessionEntry>

interface TouchDeps {
  records: Records
  due: Pick<DueList, "add">
  clock: { now(): number }
}

/** Time that a session stays warm after a touch, as promised by the HTTP API. */
export const SESSION_TTL_MS = 3600_000

/** Minimum time between two recorded touches. Touches in between aren't recorded, so an entry may lag by this much. */
export const TOUCH_RESOLUTION_MS = 60_000

/**
 * Additional time before an overdue session is deleted, starting when it was first found overdue. The clock of a
 * machine that is starting may be wrong, or may just have been corrected.
 */
export const OVERDUE_MS = 86_400_000

/** Time after which writers that started before a deletion or reopening can no longer write to the session. */
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
 * Records that a session was used. Creates its entry if it has none. Writes nothing if the same use was recorded within
 * the last minute. Returns the current entry.
 */
export function touchEntry(
  deps: TouchDeps,
  { owner, sessionId, entry }: { owner: string; sessionId: string; entry: SessionEntry | undefined },
  { active = false, signal }: { active?: boolean; signal: AbortSignal },
): Promise<SessionEntry> {
  return entry ? recordTouch(deps, entry, { active, signal }) : createEntry(deps, owner, sessionId, { signal })
}

/** First characters of the sort keys. Archived entries sort below all others, and pinned entries sort above. */
const [ARCHIVED, USUAL, PINNED] = ["-", "0", "1"]

/** Returns an entry's sort key in its owner's list. Times are padded, so that keys sort by time. */
export function sortKey({ active_at, archived, pinned, sid }: SessionEntry): string {
  const part = archived ? ARCHIVED : pinned ? PINNED : USUAL
  return `${part}${String(active_at).padStart(14, "0")}/${sid}`
}

/**
 * True if the session's name can't have changed since the entry's name was read. A run may change the name, but it also
 * records its activity, unless other activity was recorded shortly before. The name is therefore considered outdated if
 * it was read shortly after activity.
 */
export function hasCurrentName(entry: SessionEntry): entry is SessionEntry & { name: string } {
  return entry.name !== undefined && entry.named_at - entry.active_at >= TOUCH_RESOLUTION_MS
}

/**
 * Yields the owner's entries below a sort key, most recently active first. Yields at most `limit` entries, or all of
 * them by default. With `archived`, yields only archived entries (true) or only the others (false).
 */
export async function* entriesOf(
  records: Records,
  owner: string,
  { before, limit, archived, signal }: { before?: string; limit?: number; archived?: boolean; signal?: AbortSignal },
): AsyncGenerator<StoredRecord> {
  // Read one more entry than requested, because the bound is inclusive and its entry was on the previous page.
  const most = before === undefined || limit === undefined ? limit : limit + 1
  let left = limit ?? Number.POSITIVE_INFINITY
  const from = archived === false ? USUAL : undefined
  const to = before ?? (archived ? USUAL : undefined)
  for await (const record of records.byList(listName(owner), { from, to, limit: most, reverse: true, signal })) {
    if (sortKey(SessionEntry.parse(record.value)) !== before && left-- > 0) yield record
  }
}

/**
 * Returns the key of a session's entry. The key is outside the session's partitions, because a runner must not be able
 * to change its session's owner.
 */
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

/** Creates a session's entry. Writes the hint for the sweep first, so that every entry has one. */
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
