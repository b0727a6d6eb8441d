import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import type { Records } from "../storage/records.ts"
import { snapshotKey } from "./keys.ts"
import { emptySession, type SessionState } from "./state.ts"

// Raised whenever the shape of the state changes: an older snapshot is then no snapshot.
const FORMAT = 12

/** The newest folded state that was kept, or the empty one. A cache: it may be deleted at any time. */
export async function readSnapshot(records: Records, sid: string, signal: AbortSignal): Promise<SessionState> {
  const record = await records.get(snapshotKey(sid), { signal })
  if (!record?.bytes || record.value.format !== FORMAT) return emptySession
  try {
    return JSON.parse((await promisify(inflateRaw)(record.bytes)).toString())
  } catch {
    // A snapshot that can't be read is no snapshot: everything in it is in the log.
    return emptySession
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
  await records.put(snapshotKey(sid), { value: { format: FORMAT, head: state.head }, bytes }, { signal })
}
