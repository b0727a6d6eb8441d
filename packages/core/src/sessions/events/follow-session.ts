import { isAppError } from "../../errors.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { ApiEvent } from "../schema.ts"
import { isOutOfRange, seqRange, toApiEvent } from "./event-page.ts"

/**
 * Follows the events of a session after `since`, hydrated, until it is deleted or the signal aborts; "quiet" fills silences.
 * "resync" comes last, where a client can't resume from there.
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
    // The session was deleted and opened again between two reads.
    if (!isAppError(error, "resync")) throw error
    yield "resync"
  }
}
