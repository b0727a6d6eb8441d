import type { Operations } from "@switchyard/client/operations"
import { Board, MemorySections, Team, Teams } from "@switchyard/core/work/teams/request-schema"
import { TeamTrigger } from "@switchyard/core/work/teams/trigger-schema"
import { CreatedTeamTrigger, TeamTriggers } from "@switchyard/core/work/teams/triggers/trigger-requests"
import type * as z from "zod"
import type { Requests, Waiting } from "./requests.ts"

/** Requests for teams and their boards. */
export interface TeamRequests {
  /** Starts a team with a goal. Retries start no second one. */
  startTeam(
    goal: Operations["POST /api/v1/teams"]["body"],
    options: Waiting & { idempotencyKey: string },
  ): Promise<Team>
  /** Returns a page of teams. `before` is the `next` of the previous page. */
  teams(options: Waiting & { before?: string }): Promise<z.infer<typeof Teams>>
  triggers(teamId: string, options: Waiting): Promise<z.infer<typeof TeamTriggers>>
  /** Adds a trigger. A retry after a lost reply may add a second one. */
  addTrigger(
    teamId: string,
    trigger: Operations["POST /api/v1/teams/{id}/triggers"]["body"],
    options: Waiting,
  ): Promise<z.infer<typeof CreatedTeamTrigger>>
  cancelTrigger(of: { teamId: string; triggerId: string }, options: Waiting): Promise<TeamTrigger>
  searchMemory(of: { teamId: string; query: string }, options: Waiting): Promise<z.infer<typeof MemorySections>>
  board(teamId: string, options: Waiting): Promise<Board>
  /** Adds a node to the board. A retry after a lost reply may add a second one, unless it has an id. */
  addNode(teamId: string, node: Operations["POST /api/v1/teams/{id}/nodes"]["body"], options: Waiting): Promise<Board>
  addWorker(
    teamId: string,
    worker: Operations["POST /api/v1/teams/{id}/workers"]["body"],
    options: Waiting,
  ): Promise<Board>
  assignNode(of: { teamId: string; node: string; worker: string }, options: Waiting): Promise<Board>
  /** Moves a node before another, or to the end. */
  moveNode(of: { teamId: string; node: string; before: string | null }, options: Waiting): Promise<Board>
  retryNode(of: { teamId: string; node: string }, options: Waiting): Promise<Board>
  /** Sends a message to a team. A retry after a lost reply may send it twice. */
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

    teams: ({ before, signal }) => ask("GET /api/v1/teams", Teams, { query: { before }, signal }),

    triggers: (id, { signal }) => ask("GET /api/v1/teams/{id}/triggers", TeamTriggers, { path: { id }, signal }),

    addTrigger: (id, body, { signal }) =>
      ask("POST /api/v1/teams/{id}/triggers", CreatedTeamTrigger, { path: { id }, body, signal }),

    cancelTrigger: ({ teamId: id, triggerId: trigger }, { signal }) =>
      ask("DELETE /api/v1/teams/{id}/triggers/{trigger}", TeamTrigger, { path: { id, trigger }, signal }),

    searchMemory: ({ teamId: id, query: q }, { signal }) =>
      ask("GET /api/v1/teams/{id}/memory/search", MemorySections, { path: { id }, query: { q }, signal }),

    board: (id, { signal }) => ask("GET /api/v1/teams/{id}/board", Board, { path: { id }, signal }),

    addNode: (id, body, { signal }) => ask("POST /api/v1/teams/{id}/nodes", Board, { path: { id }, body, signal }),

    addWorker: (id, body, { signal }) => ask("POST /api/v1/teams/{id}/workers", Board, { path: { id }, body, signal }),

    assignNode: ({ teamId: id, node, worker }, { signal }) =>
      ask("POST /api/v1/teams/{id}/nodes/{node}/assign", Board, { path: { id, node }, body: { worker }, signal }),

    moveNode: ({ teamId: id, node, before }, { signal }) =>
      ask("POST /api/v1/teams/{id}/nodes/{node}/move", Board, { path: { id, node }, body: { before }, signal }),

    retryNode: ({ teamId: id, node }, { signal }) =>
      ask("POST /api/v1/teams/{id}/nodes/{node}/retry", Board, { path: { id, node }, signal }),

    sayToTeam: (id, body, { signal }) => ask("POST /api/v1/teams/{id}/send", Board, { path: { id }, body, signal }),

    pauseTeam: (id, { signal }) => ask("POST /api/v1/teams/{id}/pause", Board, { path: { id }, signal }),

    resumeTeam: (id, { signal }) => ask("POST /api/v1/teams/{id}/resume", Board, { path: { id }, signal }),

    stopTeam: (id, { signal }) => ask("POST /api/v1/teams/{id}/stop", Board, { path: { id }, signal }),
  }
}
