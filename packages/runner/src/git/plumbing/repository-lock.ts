import type { Clock } from "@switchyard/core/time"
import { withLock } from "../../files/lock-file.ts"

/** Limit of the wait for the others who work in the repository, where a person waits for the outcome. */
const PATIENCE_MS = 20_000

/** The limit for an agent's turn, which may stand behind the turns of many others, and behind a merge with hooks. */
export const TURN_PATIENCE_MS = 15 * 60_000

/**
 * Runs one task at a time in a repository, across processes. The lock of a dead process is released.
 *
 * Nothing is unsafe without it: branches and indexes have git's own locks. It spares two merges a race that one of them
 * would lose, where it can simply wait.
 */
export function withRepository<T>(
  { journals, clock, patienceMs = PATIENCE_MS }: { journals: string; clock: Clock; patienceMs?: number | undefined },
  task: () => Promise<T>,
  options: { signal: AbortSignal },
): Promise<T> {
  return withLock({ folder: journals, clock, patienceMs }, task, options)
}
