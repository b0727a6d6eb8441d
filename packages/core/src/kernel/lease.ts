import * as z from "zod"
import type { Records } from "../storage/records.ts"
import { leaseKey } from "./keys.ts"

/** Time until a silent holder is presumed dead, and interval between lease renewals. */
export const LEASE_MS = 60_000
export const RENEW_MS = 20_000

/** Maximum duration of a renewal. */
export const LEASE_MARGIN_MS = 5000

/**
 * Hint about when to presume that a run's holder is dead. Safety doesn't depend on it, because the log refuses events
 * from a holder that turns out to be alive.
 */
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
 * Renews a lease that may have expired. If another holder has acquired a lease since, changes nothing and returns
 * false.
 */
export async function renewExpired(
  records: Records,
  sid: string,
  runId: string,
  lease: Lease,
  options: { signal: AbortSignal },
): Promise<boolean> {
  const found = await records.get(leaseKey(sid, runId), options)
  if (found && Lease.parse(found.value).generation !== lease.generation) return false
  await writeLease(records, sid, runId, lease, { ...(found && { ifVersion: found.version }), ...options })
  return true
}

/**
 * Returns a run's lease. If the clock was set back after the last renewal, shortens the stored lease. Otherwise, a dead
 * holder would block the run until the clock has caught up. A holder that is alive still renews the shortened lease in
 * time.
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
