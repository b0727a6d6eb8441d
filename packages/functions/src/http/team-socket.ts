import { followTeamEvents } from "@switchyard/core/sessions/events/team-events"
import type { AppDeps } from "../deps.ts"
import type { createSocketClient } from "./socket.ts"

/** One client of a team's events. It has nothing to say. */
export const createTeamSocketClient: typeof createSocketClient = (deps: AppDeps, { owner }, teamId) => ({
  receive: async () => [],
  async *frames({ seq: since }, { signal }) {
    const session = await deps.sessions.find(owner, teamId, { signal: deps.stopping })
    yield* followTeamEvents(deps, session, { since, signal })
  },
})
