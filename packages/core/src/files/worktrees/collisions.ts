import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import type { Collision } from "./collision-schema.ts"

/** Reads the pairs of a session's worktrees that would conflict, with the files in conflict. */
export async function readCollisions(
  { log }: { log: Log },
  { sid, state }: Pick<SessionHandle, "sid" | "state">,
  options: { signal: AbortSignal },
): Promise<Collision[]> {
  const found: Collision[] = []
  for (const { seq } of state.worktrees.collisions) {
    for await (const event of log.read(logName(sid), seq - 1, options)) {
      if (event.type !== "worktree_collisions_changed") break
      const { worktrees, files, file_count, ts } = event
      found.push({ worktrees, files, file_count, as_of: ts })
      break
    }
  }
  return found
}
