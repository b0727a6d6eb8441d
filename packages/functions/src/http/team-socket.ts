import type { Principal } from "@switchyard/core/people/access/schema"
import type { MergedCursor } from "@switchyard/core/sessions/events/merged-stream"
import { followTeamEvents } from "@switchyard/core/sessions/events/team-events"
import type { TeamEvent } from "@switchyard/core/work/teams/request-schema"
import type { AppDeps } from "../deps.ts"
import type { SocketClient } from "./socket.ts"

/** Creates a client that receives a team's events. Messages sent by the client are ignored. */
export function createTeamSocketClient(
  deps: Pick<AppDeps, "log" | "blobs" | "sessions" | "stopping">,
  { owner }: Principal,
  { id, cursor: { seq: since } }: { id: string; cursor: MergedCursor },
): SocketClient<TeamEvent> {
  return {
    receive: async () => [],
    async *frames({ signal }) {
      const session = await deps.sessions.find(owner, id, { signal: deps.stopping })
      yield* followTeamEvents(deps, session, { since, signal })
    },
  }
}
