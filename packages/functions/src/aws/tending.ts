import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import { mayPark } from "./stage-places.ts"
import { createWarmPool } from "./warm-pool.ts"

/**
 * Returns true if a worker has to tend waiting or parked runners. Reads a stage's places only if tasks can be
 * suspended, because the sweep runs every minute.
 */
export async function isTendingDue(
  deps: { records: Records; clock: Clock },
  { warmRunners, suspends }: { warmRunners: number; suspends: boolean },
  options: { signal: AbortSignal },
): Promise<boolean> {
  if (await createWarmPool(deps).isDue(warmRunners, options)) return true
  return suspends && (await mayPark(deps, options))
}
