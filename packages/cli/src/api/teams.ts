import type { Operations } from "@switchyard/client/operations"
import { Board, Team } from "@switchyard/core/work/teams/request-schema"
import type { Requests, Waiting } from "./requests.ts"

/** Teams and their boards. */
export interface TeamRequests {
  /** Gives a goal to a team: to one, however often the request is retried. */
  startTeam(
    goal: Operations["POST /api/v1/teams"]["body"],
    options: Waiting & { idempotencyKey: string },
  ): Promise<Team>
  board(teamId: string, options: Waiting): Promise<Board>
  /** Writes to a team. A retry after a lost reply may be a second message. */
  sayToTeam(
    teamId: string,
    message: Operations["POST /api/v1/teams/{id}/send"]["body"],
    options: Waiting,
  ): Promise<Board>
  pauseTeam(teamId: string, options: Waiting): Promise<Board>
  resumeTeam(teamId: string, options: Waiting): Promise<Board>
  stopTeam(teamId: string, options: Waiting): Promise<Board>
}

export function createTeamRequests({ ask }: Requests): TeamRequests {
  return {
    startTeam: (body, { idempotencyKey, signal }) =>
      ask("POST /api/v1/teams", Team, { body, headers: { "idempotency-key": idempotencyKey }, signal }),

    board: (id, { signal }) => ask("GET /api/v1/teams/{id}/board", Board, { path: { id }, signal }),

    sayToTeam: (id, body, { signal }) => ask("POST /api/v1/teams/{id}/send", Board, { path: { id }, body, signal }),

    pauseTeam: (id, { signal }) => ask("POST /api/v1/teams/{id}/pause", Board, { path: { id }, signal }),

    resumeTeam: (id, { signal }) => ask("POST /api/v1/teams/{id}/resume", Board, { path: { id }, signal }),

    stopTeam: (id, { signal }) => ask("POST /api/v1/teams/{id}/stop", Board, { path: { id }, signal }),
  }
}
