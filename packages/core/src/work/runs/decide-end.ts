import type { LogEvent, NewEvent } from "../../events.ts"
import type { Rule, SessionLog } from "../../kernel/session-log.ts"
import type { RunState } from "./state.ts"

/**
 * Returns the events that close what a run left open when its executor died. These events depend on the kind of
 * executor.
 */
export type CloseLooseEnds = (
  session: Pick<SessionLog, "sid" | "state">,
  run: RunState,
  options: { signal: AbortSignal },
) => Promise<NewEvent[]>

/**
 * Maximum number of attempts to append closing events, which is enough even if other writers append to the session at
 * the same time. After that, the run ends without these events.
 */
const MAX_TRIES = 5

/**
 * Decides `rule`, which may end a run without an executor, and adds the run's closing events to the batch. The closing
 * events are valid for only one head of the log, so they are determined again if another writer appends first.
 */
export async function decideEnd(
  closeLooseEnds: CloseLooseEnds,
  session: SessionLog,
  run: RunState,
  rule: (ends: NewEvent[]) => Rule,
  options: { signal: AbortSignal },
): Promise<LogEvent[]> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { head } = session.state
    const ends = await closeLooseEnds(session, run, options)
    let isUnchanged = true
    const appended = await session.decide((state) => {
      isUnchanged = state.head === head
      return isUnchanged ? rule(ends)(state) : []
    }, options)
    if (isUnchanged) return appended
  }
  return session.decide(rule([]), options)
}
