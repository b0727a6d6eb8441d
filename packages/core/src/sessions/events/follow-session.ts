import { isAppError } from "../../errors.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { ApiEvent } from "../schema.ts"
import { isOutOfRange, seqRange, toApiEvent } from "./event-page.ts"

/**
 * Yields a session's events after `since`, with their full payloads, until the session is deleted or the signal aborts.
 * Yields "quiet" if nothing happens for a while. Ends with "resync" if the client can't resume from `since`.
 */
export async function* followSession(
  deps: { log: Log; blobs: Blobs },
  session: SessionHandle,
  since: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<ApiEvent | "quiet" | "resync"> {
  if (isOutOfRange(session.state, since)) {
    yield "resync"
    return
  }
  const from = Math.max(since, seqRange(session.state).first - 1)
  try {
    for await (const event of deps.log.tail(logName(session.sid), from, { signal })) {
      if (event.type === "heartbeat") {
        yield "quiet"
        continue
      }
      yield await toApiEvent(deps, session, event, { signal })
      if (event.type === "session_deleted") return
    }
  } catch (error) {
    // The session was deleted and reopened between two reads.
    if (!isAppError(error, "resync")) throw error
    yield "resync"
  }
}
