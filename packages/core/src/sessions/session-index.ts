import * as z from "zod"
import type { Records, StoredRecord } from "../storage/records.ts"

/** A session's line in its owner's list, and until when it is kept warm. A hint: what the session is, its log says. */
export const SessionLine = z.object({
  sid: z.string(),
  owner: z.string(),
  session_id: z.string(),
  /** Unix milliseconds, as all times here. */
  created_at: z.number(),
  touched_at: z.number(),
  /** When something last happened in it, as far as is known here. */
  active_at: z.number().default(0),
})
export type SessionLine = z.infer<typeof SessionLine>

/** The time for which a session stays warm after a touch, as the HTTP contract says. */
export const SESSION_TTL_MS = 3600_000

/** Touches closer together than this write nothing, so a line may be that much behind. */
export const TOUCH_GRAIN_MS = 60_000

/** So long after a session was deleted, or begun anew, nobody who could write to what was there before is still able to. */
export const QUIET_MS = 15 * 60_000

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
  options: { ifVersion?: number; signal?: AbortSignal },
): Promise<void> {
  const listed = { list: listOf(line.owner), order: placeOf(line) }
  await records.put(lineKey(line.sid), { value: line }, { listed, ...options })
}

/** The sort key of a line in its owner's list. */
export function placeOf({ active_at, sid }: SessionLine): string {
  return `${String(active_at).padStart(15, "0")}/${sid}`
}

/** The owner's lines below a place, the last active first. */
export async function* linesOf(
  records: Records,
  owner: string,
  { before, limit, signal }: { before?: string; limit: number; signal?: AbortSignal },
): AsyncGenerator<StoredRecord> {
  // A key that ends at the place itself is cut to it, and that was on the page before.
  const most = before === undefined ? limit : limit + 1
  for await (const record of records.byList(listOf(owner), { to: before, limit: most, reverse: true, signal })) {
    if (placeOf(SessionLine.parse(record.value)) !== before && limit-- > 0) yield record
  }
}

/** Outside the session's own partitions: whose a session is may not be written by what runs in it. */
export function lineKey(sid: string): { partition: string; sort: string } {
  return { partition: `session/${sid}`, sort: "line" }
}

function listOf(owner: string): string {
  return `sessions/${owner}`
}
