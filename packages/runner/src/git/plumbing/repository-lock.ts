import type { Clock } from "@switchyard/core/time"
import { withLock } from "../../files/lock-file.ts"

/** How long somebody waits for another who has the repository. */
const PATIENCE_MS = 20_000

/**
 * Does one thing at a time with a repository, whichever process asks. Whoever died with the lock has lost it.
 *
 * Nothing is unsafe without it: branches and indexes have git's own locks. It keeps two merges from losing a race
 * that one of them can simply wait for.
 */
export function withRepository<T>(
  { commonDir, clock }: { commonDir: string; clock: Clock },
  task: () => Promise<T>,
  options: { signal: AbortSignal },
): Promise<T> {
  return withLock({ folder: `${commonDir}/switchyard`, clock, patienceMs: PATIENCE_MS }, task, options)
}
