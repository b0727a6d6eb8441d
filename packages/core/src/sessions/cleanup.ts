import * as z from "zod"
import type { DueList } from "../kernel/due.ts"
import { logName } from "../kernel/keys.ts"
import type { SessionLog } from "../kernel/session-log.ts"
import type { Log } from "../log/log.ts"
import type { Cleanup, CleanupSettings } from "../people/settings/cleanup-schema.ts"
import type { Settings } from "../people/settings/settings.ts"
import type { Records } from "../storage/records.ts"
import { entriesOf, SessionEntry } from "./session-index.ts"

/** Owners' settings for how long untouched sessions are kept. */
export type Cleanups = ReturnType<typeof createCleanups>

interface CleanupDeps {
  records: Records
  due: DueList
  settings: Pick<Settings, "cleanup">
  /** The installation's retention period in milliseconds, and the maximum for every owner. */
  retentionMs: number
}

const DAY_MS = 86_400_000
const KEPT_SECONDS = 30 * 86_400
const CleanedSession = z.object({ session_id: z.string(), name: z.string(), deleted_at: z.string() })

export function createCleanups({ records, due, settings, retentionMs: most }: CleanupDeps) {
  const timeOf = ({ cleanup_days, auto_cleanup }: Cleanup) =>
    auto_cleanup && cleanup_days !== null ? Math.min(cleanup_days * DAY_MS, most) : most

  async function viewOf(owner: string, set: Cleanup, options: { signal?: AbortSignal }) {
    const days = set.cleanup_days === null ? most / DAY_MS : Math.min(set.cleanup_days, most / DAY_MS)
    const range = records.range(partitionOf(owner), { reverse: true, limit: 100, ...options })
    const cleaned = await Array.fromAsync(range, ({ value }) => CleanedSession.parse(value))
    return { cleanup_days: days, auto_cleanup: set.auto_cleanup, cleaned }
  }

  return {
    /** Returns how long this owner's untouched sessions are kept, in milliseconds. */
    async retentionMs(owner: string, options: { signal?: AbortSignal }): Promise<number> {
      return timeOf(await settings.cleanup.read(owner, options))
    },
    async read(owner: string, options: { signal?: AbortSignal }): Promise<z.infer<typeof CleanupSettings>> {
      return viewOf(owner, await settings.cleanup.read(owner, options), options)
    },
    /** Changes the owner's retention settings. Applies to existing sessions too. */
    async change(owner: string, change: Partial<Cleanup>, options: { signal?: AbortSignal }) {
      const set = await settings.cleanup.change(owner, change, options)
      // Each session's existing hint is based on the earlier retention period. If the new period is shorter, the
      // session needs an earlier hint.
      for await (const { value } of entriesOf(records, owner, options)) {
        const { sid, touched_at } = SessionEntry.parse(value)
        await due.add({ kind: "session", sid }, touched_at + timeOf(set), options)
      }
      return viewOf(owner, set, options)
    },
  }
}

/** Records for the owner that a session was deleted because nobody used it. Does nothing if a person deleted it. */
export async function noteCleaned(
  { log, records }: { log: Log; records: Records },
  { sid, state }: Pick<SessionLog, "sid" | "state">,
  { owner, session_id, name = session_id }: SessionEntry,
  options: { signal: AbortSignal },
): Promise<void> {
  const seq = state.session.since?.seq ?? 0
  for await (const event of log.read(logName(sid), seq - 1, options)) {
    if (event.type !== "session_deleted" || event.reason !== "retention") return
    const key = { partition: partitionOf(owner), sort: `${event.ts} ${sid}` }
    const expiresAt = Math.ceil(Date.parse(event.ts) / 1000) + KEPT_SECONDS
    await records.put(key, { value: { session_id, name, deleted_at: event.ts } }, { expiresAt, ...options })
    return
  }
}

function partitionOf(owner: string): string {
  return `cleaned/${owner}`
}
