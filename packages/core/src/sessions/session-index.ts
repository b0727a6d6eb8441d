import * as z from "zod"
import type { Records, StoredRecord } from "../storage/records.ts"

/** A session's entry in its owner's list, and its last use. A hint: the log of the session decides. */
export const SessionEntry = z.object({
  sid: z.string(),
  owner: z.string(),
  session_id: z.string(),
  /** Unix milliseconds, as all times here. */
  created_at: z.number(),
  touched_at: z.number(),
  /** The time of the last activity in it, as far as it was recorded. */
  active_at: z.number().default(0),
  /** The time at which it was first found to have outlived its retention, after that last use. */
  overdue: z.object({ touched_at: z.number(), since: z.number() }).nullable().default(null),
  pinned: z.boolean().default(false),
  /** The name when it was last read from the log, and the time of that; see `hasCurrentName`. */
  name: z.string().optional(),
  named_at: z.number().default(0),
  /** The repository, once the session has one: it keeps it. */
  repository: z.string().optional(),
})
export type SessionEntry = z.infer<typeof SessionEntry>

/** The time for which a session stays warm after a touch, as the HTTP contract says. */
export const SESSION_TTL_MS = 3600_000

/** Touches closer together than this write nothing, so an entry may be that much behind. */
export const TOUCH_RESOLUTION_MS = 60_000

/**
 * The time for which a session that has outlived its retention is kept besides, from when that was first found: the clock of a
 * machine that starts may be wrong, or just have been set right.
 */
export const OVERDUE_MS = 86_400_000

/** The time after which no writer of a deleted, or reopened, session can still write to its previous incarnation. */
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

/** The sort key of an entry in its owner's list: pinned ones above all others. Unix times have 13 digits. */
export function sortKey({ active_at, pinned, sid }: SessionEntry): string {
  return `${pinned ? "1" : "0"}${String(active_at).padStart(14, "0")}/${sid}`
}

/**
 * True if the entry's name can't have changed since it was read. A run, which may change it, records its activity unless
 * another was recorded moments before: then the name counts as unknown, too.
 */
export function hasCurrentName(entry: SessionEntry): entry is SessionEntry & { name: string } {
  return entry.name !== undefined && entry.named_at - entry.active_at >= TOUCH_RESOLUTION_MS
}

/** The owner's entries below a sort key, the last active first; all of them without a limit. */
export async function* entriesOf(
  records: Records,
  owner: string,
  { before, limit, signal }: { before?: string; limit?: number; signal?: AbortSignal },
): AsyncGenerator<StoredRecord> {
  // The bound is inclusive, and its entry was on the page before.
  const most = before === undefined || limit === undefined ? limit : limit + 1
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const record of records.byList(listName(owner), { to: before, limit: most, reverse: true, signal })) {
    if (sortKey(SessionEntry.parse(record.value)) !== before && left-- > 0) yield record
  }
}

/** Outside the session's own partitions: a runner must not be able to change the owner of its session. */
export function entryKey(sid: string): { partition: string; sort: string } {
  return { partition: `session/${sid}`, sort: "line" }
}

function listName(owner: string): string {
  return `sessions/${owner}`
}
