import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import { mayPark } from "./stage-places.ts"
import { createWarmPool } from "./warm-pool.ts"

/**
 * Returns true if there may be runners for a worker to look after. These are runners that wait for a session, and
 * runners whose task is suspended or can be. The sweep calls this every minute. To save reads, it loads the stage's
 * slots only if the deployment can suspend tasks at all.
 */
export async function isTendingDue(
  deps: { records: Records; clock: Clock },
  { warmRunners, suspends }: { warmRunners: number; suspends: boolean },
  options: { signal: AbortSignal },
): Promise<boolean> {
  if (await createWarmPool(deps).isDue(warmRunners, options)) return true
  return suspends && (await mayPark(deps, options))
}
