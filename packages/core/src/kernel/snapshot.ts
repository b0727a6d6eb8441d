import type { PartName, SessionState } from "../state.ts"
import type { Records } from "../storage/records.ts"
import { deflate, inflate } from "../text/deflate.ts"
import type { SessionFold } from "./fold.ts"
import { HISTORY_VERSION } from "./history.ts"
import { snapshotKey } from "./keys.ts"

export interface Snapshot {
  state: SessionState
  /** Parts that must be computed again, because they are missing or have an older shape. */
  stale: PartName[]
}

type StoredVersions = Partial<SessionFold["versions"]> & { history?: number }

/**
 * Returns the newest stored state. If there is none, returns the empty state. The stored state is a cache, and may be
 * deleted at any time.
 */
export async function readSnapshot(
  records: Records,
  sid: string,
  fold: SessionFold,
  signal: AbortSignal,
): Promise<Snapshot> {
  const none: Snapshot = { state: fold.empty, stale: [] }
  const record = await records.get(snapshotKey(sid), { signal })
  const versions = record?.value.versions as StoredVersions | undefined
  // The history was stored before the snapshot. If the topics have changed since, that history can't be used, so ignore
  // the snapshot.
  if (!record?.bytes || versions?.history !== HISTORY_VERSION) return none
  try {
    const state = JSON.parse(await inflate(record.bytes))
    return { state, stale: fold.names.filter((name) => versions[name] !== fold.versions[name]) }
  } catch {
    // Treat an unreadable snapshot as missing. Everything in it is also in the log.
    return none
  }
}

/**
 * Stores a state. Writers may overwrite each other. If an older snapshot wins, readers only have to read more events.
 */
export async function writeSnapshot(
  records: Records,
  sid: string,
  { state, fold }: { state: SessionState; fold: SessionFold },
  signal: AbortSignal,
): Promise<void> {
  const bytes = await deflate(JSON.stringify(state))
  await records.put(
    snapshotKey(sid),
    { value: { versions: { ...fold.versions, history: HISTORY_VERSION }, head: state.head }, bytes },
    { signal },
  )
}
