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
 * Decides the possible end of a run without an executor, together with its loose ends. Those are valid for the log as it was
 * read, so they are read again if another writer was first.
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
