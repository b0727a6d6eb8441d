import * as z from "zod"
import type { Records } from "../storage/records.ts"
import { leaseKey } from "./keys.ts"

/** The time for which a silent holder is presumed alive, and the time between two renewals. */
export const LEASE_MS = 60_000
export const RENEW_MS = 20_000

/** The time that a renewal may take. */
export const LEASE_MARGIN_MS = 5000

/** A hint of when to presume the holder of a run dead. Nothing is decided by it: a holder that wakes up is fenced by the log. */
export const Lease = z.object({ generation: z.int(), executor: z.string(), until: z.number() })
export type Lease = z.infer<typeof Lease>

export async function writeLease(
  records: Records,
  sid: string,
  runId: string,
  lease: Lease,
  options: { ifVersion?: number; signal?: AbortSignal },
): Promise<void> {
  const expiresAt = Math.ceil(lease.until / 1000) + 86_400
  await records.put(leaseKey(sid, runId), { value: lease }, { expiresAt, ...options })
}

/**
 * The lease of a run. Where the clock was set back since it was renewed, it is shortened to what it can be now, in the store,
 * too: a live holder renews it in time, and a dead one isn't waited for until the clock is there again.
 */
export async function readLease(
  records: Records,
  sid: string,
  runId: string,
  { now, signal }: { now: number; signal?: AbortSignal },
): Promise<Lease | undefined> {
  const record = await records.get(leaseKey(sid, runId), { signal })
  const lease = record && Lease.parse(record.value)
  if (!lease || lease.until <= now + LEASE_MS) return lease
  const shortened = { ...lease, until: now + LEASE_MS }
  await writeLease(records, sid, runId, shortened, { ifVersion: record.version, signal })
  return shortened
}
