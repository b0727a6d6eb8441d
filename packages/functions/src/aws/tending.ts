import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import { mayPark } from "./stage-places.ts"
import { createWarmPool } from "./warm-pool.ts"

/**
 * Returns true if a worker should tend waiting or parked runners. The sweep runs every minute, so the stage's places
 * are read only if tasks can be suspended.
 */
export async function isTendingDue(
  deps: { records: Records; clock: Clock },
  { warmRunners, suspends }: { warmRunners: number; suspends: boolean },
  options: { signal: AbortSignal },
): Promise<boolean> {
  if (await createWarmPool(deps).isDue(warmRunners, options)) return true
  return suspends && (await mayPark(deps, options))
}
