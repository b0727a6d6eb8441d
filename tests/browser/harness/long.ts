import { createNewId, sessionKey } from "@switchyard/core/ids"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { LOCAL_PRINCIPAL } from "@switchyard/functions/access"
import { fillSession } from "../../../bench/long-session.ts"
import type { Place } from "./place.ts"

/** As many as eleven whole runs take, after the first event. */
export const MANY = 1 + 11 * 463

/** A session of a few thousand events, written straight into the server's stores. */
export async function longSession(place: Place): Promise<string> {
  const id = await place.session()
  await fillSession(await logOf(place, id), MANY)
  return id
}

/** A session's log, to write what no server would say so fast. */
export function logOf(place: Place, id: string): Promise<SessionLog> {
  const { records, blobs } = place.server.stores
  const log = createLog({ records, blobs, clock: systemClock })
  const deps = { log, records, clock: systemClock, newId: createNewId(Date.now), fold: sessionFold, writer: "test" }
  return openSessionLog(deps, sessionKey(LOCAL_PRINCIPAL.owner, id), { signal: new AbortController().signal })
}
