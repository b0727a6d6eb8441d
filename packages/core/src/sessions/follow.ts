import { isAppError } from "../errors.ts"
import { logName } from "../kernel/keys.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import type { Log } from "../log/log.ts"
import type { Blobs } from "../storage/blobs.ts"
import { isOutOfReach, reach, tellEvent } from "./event-page.ts"
import type { ToldEvent } from "./schema.ts"

/**
 * Follows the events of a session after `since`, whole, until it is deleted or the signal aborts; "quiet" fills silences. "resync"
 * says that nobody can go on from there, and is the last word.
 */
export async function* followSession(
  deps: { log: Log; blobs: Blobs },
  session: SessionHandle,
  since: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<ToldEvent | "quiet" | "resync"> {
  if (isOutOfReach(session.state, since)) {
    yield "resync"
    return
  }
  const from = Math.max(since, reach(session.state).first - 1)
  try {
    for await (const event of deps.log.tail(logName(session.sid), from, { signal })) {
      if (event.type === "heartbeat") {
        yield "quiet"
        continue
      }
      yield await tellEvent(deps, session, event, { signal })
      if (event.type === "session_deleted") return
    }
  } catch (error) {
    // The session was deleted and opened again while nobody read here.
    if (!isAppError(error, "resync")) throw error
    yield "resync"
  }
}
