import type { Clock } from "@switchyard/core/time"
import { withLock } from "../../files/lock-file.ts"

/** Limit of the wait for other users of the repository while a person waits for the result. */
const PATIENCE_MS = 20_000

/** Limit for an agent's turn, which may wait for the turns of many others, and for a merge with hooks. */
export const TURN_PATIENCE_MS = 15 * 60_000

/**
 * Runs one task at a time in a repository, across processes. The lock of a dead process is released.
 *
 * It isn't needed for safety, because branches and indexes have git's own locks. With it, two merges wait for each
 * other instead of a race that one of them loses.
 */
export function withRepository<T>(
  { journals, clock, patienceMs = PATIENCE_MS }: { journals: string; clock: Clock; patienceMs?: number | undefined },
  task: () => Promise<T>,
  options: { signal: AbortSignal },
): Promise<T> {
  return withLock({ folder: journals, clock, patienceMs }, task, options)
}
