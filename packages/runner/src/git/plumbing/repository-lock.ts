import type { Clock } from "@switchyard/core/time"
import { withLock } from "../../files/lock-file.ts"

/** Maximum wait for other users of the repository if a person is waiting for the result. */
const PATIENCE_MS = 20_000

/**
 * Maximum time that an agent's turn waits for the lock. It is long, because many other turns may be ahead in the queue.
 * Merges that run hooks wait equally long.
 */
export const TURN_PATIENCE_MS = 15 * 60_000

/**
 * Runs one task at a time in a repository, across processes. If a process dies, its lock is released.
 *
 * Git itself protects branches and indexes with locks. This lock only makes concurrent merges wait for each other, so
 * that they don't race.
 */
export function withRepository<T>(
  { journals, clock, patienceMs = PATIENCE_MS }: { journals: string; clock: Clock; patienceMs?: number | undefined },
  task: () => Promise<T>,
  options: { signal: AbortSignal },
): Promise<T> {
  return withLock({ folder: journals, clock, patienceMs }, task, options)
}
