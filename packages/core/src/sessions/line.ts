import * as z from "zod"
import type { Records } from "../storage/records.ts"

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

/** How long a session stays warm after a touch, as the HTTP contract says. */
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
  { signal }: { signal?: AbortSignal },
): Promise<void> {
  const order = `${String(line.created_at).padStart(15, "0")}/${line.sid}`
  await records.put(lineKey(line.sid), { value: line }, { listed: { list: listOf(line.owner), order }, signal })
}

/** Outside the session's own partitions: whose a session is may not be written by what runs in it. */
export function lineKey(sid: string): { partition: string; sort: string } {
  return { partition: `session/${sid}`, sort: "line" }
}

export function listOf(owner: string): string {
  return `sessions/${owner}`
}
