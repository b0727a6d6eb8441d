import type { Principal } from "@switchyard/core/people/access/schema"
import { followTeamEvents } from "@switchyard/core/sessions/events/team-events"
import type { ToldEvent } from "@switchyard/core/work/teams/request-schema"
import type { AppDeps } from "../deps.ts"
import type { SocketClient } from "./socket.ts"

/** One client of a team's events. It has nothing to say. */
export function createTeamSocketClient(deps: AppDeps, { owner }: Principal, teamId: string): SocketClient<ToldEvent> {
  return {
    receive: async () => [],
    async *frames({ seq: since }, { signal }) {
      const session = await deps.sessions.find(owner, teamId, { signal: deps.stopping })
      yield* followTeamEvents(deps, session, { since, signal })
    },
  }
}
