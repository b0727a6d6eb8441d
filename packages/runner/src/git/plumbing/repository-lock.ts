import type { Clock } from "@switchyard/core/time"
import { withLock } from "../../files/lock-file.ts"

/** Limit of the wait for another process's lock. */
const PATIENCE_MS = 20_000

/**
 * Runs one task at a time in a repository, across processes. The lock of a dead process is released.
 *
 * Nothing is unsafe without it: branches and indexes have git's own locks. It spares two merges a race that one of them
 * would lose, where it can simply wait.
 */
export function withRepository<T>(
  { journals, clock }: { journals: string; clock: Clock },
  task: () => Promise<T>,
  options: { signal: AbortSignal },
): Promise<T> {
  return withLock({ folder: journals, clock, patienceMs: PATIENCE_MS }, task, options)
}
