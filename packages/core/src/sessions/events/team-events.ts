import { AppError } from "../../errors.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { TeamEvent } from "../../work/teams/request-schema.ts"
import { TEAM_EVENT_TYPES, toTeamEvent } from "../../work/teams/team-event.ts"
import { readEvents } from "./event-page.ts"
import { followSession } from "./follow-session.ts"

interface Deps {
  log: Log
  blobs: Blobs
}

/** Returns a team's next events after `since`, in order. If it returns fewer than `limit` events, there are no more. */
export async function readTeamEvents(
  deps: Deps,
  session: SessionHandle,
  { since, limit, ...options }: { since: number; limit: number; signal: AbortSignal },
): Promise<TeamEvent[]> {
  const found: TeamEvent[] = []
  for (let from = since; ; ) {
    const page = { limit: limit - found.length, types: TEAM_EVENT_TYPES, ...options }
    const { events, to_seq, latest_seq } = await readEvents(deps, session, { since: from }, page)
    found.push(...events.flatMap((event) => toTeamEvent(session.sessionId, event) ?? []))
    if (found.length >= limit || to_seq >= latest_seq) return found
    from = to_seq
  }
}

/**
 * Follows a team's events after `since`, until its session is deleted or the signal aborts. Throws `not_found` if the
 * session has no team, and `resync` if `since` is outside the session's events.
 */
export async function* followTeamEvents(
  deps: Deps,
  session: SessionHandle,
  { since, signal }: { since: number; signal: AbortSignal },
): AsyncGenerator<TeamEvent> {
  if (!session.state.team) throw new AppError("not_found", "This session has no team.")
  for await (const event of followSession(deps, session, since, { signal })) {
    if (event === "resync")
      throw new AppError("resync", "`since` is not an event of this team. Start again without it.")
    const told = event === "quiet" ? undefined : toTeamEvent(session.sessionId, event)
    if (told) yield told
  }
}
