import * as z from "zod"
import type { Records } from "../storage/records.ts"
import { leaseKey } from "./keys.ts"

/** The time for which a silent holder is presumed alive, and the time between two renewals. */
export const LEASE_MS = 60_000
export const RENEW_MS = 20_000

/** A hint of when to presume the holder of a run dead. Nothing is decided by it: a holder that wakes up is fenced by the log. */
export const Lease = z.object({ generation: z.int(), executor: z.string(), until: z.number() })
export type Lease = z.infer<typeof Lease>

export async function writeLease(
  records: Records,
  sid: string,
  runId: string,
  lease: Lease,
  options: { signal?: AbortSignal },
): Promise<void> {
  const expiresAt = Math.ceil(lease.until / 1000) + 86_400
  await records.put(leaseKey(sid, runId), { value: lease }, { expiresAt, signal: options.signal })
}

export async function readLease(
  records: Records,
  sid: string,
  runId: string,
  options: { signal?: AbortSignal },
): Promise<Lease | undefined> {
  const record = await records.get(leaseKey(sid, runId), options)
  return record && Lease.parse(record.value)
}
