import type { Clock } from "@switchyard/core/time"
import { withLock } from "../../files/lock-file.ts"

/** Longest wait for other users of the repository if a person is waiting for the result. */
const PATIENCE_MS = 20_000

/** Longest wait of an agent's turn. Many other turns may be ahead of it. Merges with hooks wait as long. */
export const TURN_PATIENCE_MS = 15 * 60_000

/**
 * Runs one task at a time in a repository, across processes. A dead process's lock is released.
 *
 * Git itself protects branches and indexes with locks. This one only makes concurrent merges wait for each other
 * instead of racing.
 */
export function withRepository<T>(
  { journals, clock, patienceMs = PATIENCE_MS }: { journals: string; clock: Clock; patienceMs?: number | undefined },
  task: () => Promise<T>,
  options: { signal: AbortSignal },
): Promise<T> {
  return withLock({ folder: journals, clock, patienceMs }, task, options)
}
