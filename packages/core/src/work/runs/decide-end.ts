import type { LogEvent, NewEvent } from "../../events.ts"
import type { Rule, SessionLog } from "../../kernel/session-log.ts"
import type { RunState } from "./state.ts"

/** Finds the events that close what a run left open whose executor is gone. It depends on what executed the run. */
export type CloseLooseEnds = (
  session: Pick<SessionLog, "sid" | "state">,
  run: RunState,
  options: { signal: AbortSignal },
) => Promise<NewEvent[]>

/** Often enough for a session in which others write; after that the run ends without them. */
const MAX_TRIES = 5

/**
 * Decides what may end a run that nobody executes, and tells its loose ends with it. They hold for the log as it was read, so
 * where another writer came first, they are read again.
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
    let isAsRead = true
    const said = await session.decide((state) => {
      isAsRead = state.head === head
      return isAsRead ? rule(ends)(state) : []
    }, options)
    if (isAsRead) return said
  }
  return session.decide(rule([]), options)
}
