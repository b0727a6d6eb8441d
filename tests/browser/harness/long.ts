import { createNewId, sessionKey } from "@switchyard/core/ids"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { LOCAL_PRINCIPAL } from "@switchyard/functions/access"
import { fillSession } from "../../../bench/long-session.ts"
import type { Place } from "./place.ts"

/** Number of events that eleven complete runs and the session's first event add up to. */
export const MANY = 1 + 11 * 463

/** Creates a session of `MANY` events, written directly into the server's stores. */
export async function longSession(place: Place): Promise<string> {
  const id = await place.session()
  await fillSession(await logOf(place, id), MANY)
  return id
}

/** Opens a session's log, so that a test can write events faster than a server would. */
export function logOf(place: Place, id: string): Promise<SessionLog> {
  const { records, blobs } = place.server.stores
  const log = createLog({ records, blobs, clock: systemClock })
  const deps = { log, records, clock: systemClock, newId: createNewId(Date.now), fold: sessionFold, writer: "test" }
  return openSessionLog(deps, sessionKey(LOCAL_PRINCIPAL.owner, id), { signal: new AbortController().signal })
}
