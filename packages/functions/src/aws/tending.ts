import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import { mayPark } from "./stage-places.ts"
import { createWarmPool } from "./warm-pool.ts"

/**
 * Whether a worker has to look after the runners that wait for a session, or have parked. The places of a stage are only read where
 * tasks can be suspended: the sweep asks every minute.
 */
export async function isTendingDue(
  deps: { records: Records; clock: Clock },
  { warmRunners, suspends }: { warmRunners: number; suspends: boolean },
  options: { signal: AbortSignal },
): Promise<boolean> {
  if (await createWarmPool(deps).isDue(warmRunners, options)) return true
  return suspends && (await mayPark(deps, options))
}
