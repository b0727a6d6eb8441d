import * as z from "zod"
import { sessionBlobs } from "../kernel/keys.ts"
import type { Blobs } from "../storage/blobs.ts"
import type { Records } from "../storage/records.ts"
import type { Clock } from "../time.ts"
import { entriesOf, GRACE_MS, SessionEntry } from "./session-index.ts"

/**
 * Bytes stored by a session. `until` is set for a deleted session: the time when its bytes are removed, in Unix
 * milliseconds.
 */
const ByteCount = z.object({ bytes: z.number(), until: z.number().optional() })

/** Minimum time between full counts. A full count is slow, and an owner who has reached the limit may retry often. */
const COUNT_EVERY_MS = 60_000

const A_MONTH_SECONDS = 30 * 86_400

/**
 * Creates a counter of the bytes that an owner's sessions store, including all file versions, saves and recordings.
 * Uploads are added when they arrive, so a repeated upload is counted twice. Bytes stored by runs are only found by a
 * full count, which is made when the sum would exceed the limit.
 */
export function createStoredBytes(deps: {
  records: Records
  blobs: Blobs
  clock: Clock
  limits: { storedBytes: number }
}) {
  const { records, blobs, clock, limits } = deps
  const keyOf = (owner: string, sid: string) => ({ partition: `stored/${owner}`, sort: sid })
  const countedKey = (owner: string) => ({ partition: `stored-counted/${owner}`, sort: "at" })

  async function sum(owner: string, signal: AbortSignal): Promise<number> {
    let bytes = 0
    for await (const { value } of records.range(`stored/${owner}`, { signal })) {
      const held = ByteCount.parse(value)
      if (held.until === undefined || held.until > clock.now()) bytes += held.bytes
    }
    return bytes
  }

  /** Counts all bytes, unless they were counted within the last minute. */
  async function count(owner: string, signal: AbortSignal): Promise<void> {
    const last = await records.get(countedKey(owner), { signal })
    if (last && clock.now() - Number(last.value.at) < COUNT_EVERY_MS) return
    const expiresAt = Math.ceil(clock.now() / 1000) + A_MONTH_SECONDS
    await records.put(countedKey(owner), { value: { at: clock.now() } }, { expiresAt, signal })
    const everything = Number.MAX_SAFE_INTEGER
    for await (const { value } of entriesOf(records, owner, { limit: everything, signal })) {
      const { sid } = SessionEntry.parse(value)
      let bytes = 0
      for await (const { sizeBytes } of blobs.list(sessionBlobs(sid), { signal })) bytes += sizeBytes
      await records.put(keyOf(owner, sid), { value: { bytes } }, { signal })
    }
  }

  return {
    /** Adds bytes that are about to be stored. If they would exceed the limit, adds nothing and returns false. */
    async add(owner: string, sid: string, bytes: number, { signal }: { signal: AbortSignal }): Promise<boolean> {
      const isTooMuch = async () => {
        const held = await sum(owner, signal)
        return bytes === 0 ? held >= limits.storedBytes : held + bytes > limits.storedBytes
      }
      if (await isTooMuch()) {
        await count(owner, signal)
        if (await isTooMuch()) return false
      }
      if (bytes > 0) await addTo(keyOf(owner, sid), bytes, signal)
      return true
    },
    /** Removes a deleted session's bytes from the count once they have been removed from the store. */
    async release(owner: string, sid: string, { signal }: { signal: AbortSignal }): Promise<void> {
      const record = await records.get(keyOf(owner, sid), { signal })
      if (!record) return
      const held = ByteCount.parse(record.value)
      // A repeated release must not restart the wait.
      if (held.until !== undefined) return
      const until = clock.now() + GRACE_MS
      const value = { bytes: held.bytes, until }
      await records.put(record.key, { value }, { expiresAt: Math.ceil(until / 1000), signal })
    },
  }

  async function addTo(key: { partition: string; sort: string }, bytes: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const record = await records.get(key, { signal })
      const before = record ? ByteCount.parse(record.value).bytes : 0
      const condition = record ? { ifVersion: record.version } : { ifAbsent: true as const }
      // If the reply to the write is lost, the bytes are added twice. The next full count corrects this.
      if (await records.put(key, { value: { bytes: before + bytes } }, { ...condition, signal })) return
    }
  }
}
