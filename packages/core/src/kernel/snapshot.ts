import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import { emptySession, PART_NAMES, PART_VERSIONS, type PartName, type SessionState } from "../state.ts"
import type { Records } from "../storage/records.ts"
import { HISTORY_VERSION } from "./history.ts"
import { snapshotKey } from "./keys.ts"

export interface Snapshot {
  state: SessionState
  /** The parts that it doesn't have, or has in another shape: they are to be folded anew. */
  stale: PartName[]
}

const VERSIONS = { ...PART_VERSIONS, history: HISTORY_VERSION }

const NO_SNAPSHOT: Snapshot = { state: emptySession, stale: [] }

/** The newest folded state that was stored, or the empty one. A cache: it may be deleted at any time. */
export async function readSnapshot(records: Records, sid: string, signal: AbortSignal): Promise<Snapshot> {
  const record = await records.get(snapshotKey(sid), { signal })
  const versions = record?.value.versions as Partial<typeof VERSIONS> | undefined
  // The writer of a snapshot had stored the history before it: with other topics, that is no history of today's.
  if (!record?.bytes || !versions || versions.history !== HISTORY_VERSION) return NO_SNAPSHOT
  try {
    const state = JSON.parse((await promisify(inflateRaw)(record.bytes)).toString())
    return { state, stale: PART_NAMES.filter((name) => versions[name] !== PART_VERSIONS[name]) }
  } catch {
    // A snapshot that can't be read is no snapshot: everything in it is in the log.
    return NO_SNAPSHOT
  }
}

/** Stores a state. Two writers may overwrite each other: an older snapshot only means a longer read. */
export async function writeSnapshot(
  records: Records,
  sid: string,
  state: SessionState,
  signal: AbortSignal,
): Promise<void> {
  const bytes = await promisify(deflateRaw)(JSON.stringify(state))
  await records.put(snapshotKey(sid), { value: { versions: VERSIONS, head: state.head }, bytes }, { signal })
}
