import { deflate, inflate } from "../deflate.ts"
import type { PartName, SessionState } from "../state.ts"
import type { Records } from "../storage/records.ts"
import type { SessionFold } from "./fold.ts"
import { HISTORY_VERSION } from "./history.ts"
import { snapshotKey } from "./keys.ts"

export interface Snapshot {
  state: SessionState
  /** The parts that it doesn't have, or has in another shape: they are to be folded anew. */
  stale: PartName[]
}

type StoredVersions = Partial<SessionFold["versions"]> & { history?: number }

/** The newest folded state that was stored, or the empty one. A cache: it may be deleted at any time. */
export async function readSnapshot(
  records: Records,
  sid: string,
  fold: SessionFold,
  signal: AbortSignal,
): Promise<Snapshot> {
  const none: Snapshot = { state: fold.empty, stale: [] }
  const record = await records.get(snapshotKey(sid), { signal })
  const versions = record?.value.versions as StoredVersions | undefined
  // The writer of a snapshot had stored the history before it: with other topics, that is no history of today's.
  if (!record?.bytes || versions?.history !== HISTORY_VERSION) return none
  try {
    const state = JSON.parse(await inflate(record.bytes))
    return { state, stale: fold.names.filter((name) => versions[name] !== fold.versions[name]) }
  } catch {
    // A snapshot that can't be read is no snapshot: everything in it is in the log.
    return none
  }
}

/** Stores a state. Two writers may overwrite each other: an older snapshot only means a longer read. */
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
