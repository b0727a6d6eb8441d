import { AppError } from "../../errors.ts"
import type { SessionState } from "../../state.ts"
import type { TeamState, WorkerState, WorkNode } from "./state.ts"

/** Creates the error for an action that the team's rules don't allow. */
export function refused(message: string, details: Record<string, unknown> = {}): AppError {
  return new AppError("team_refused", message, details)
}

/** Returns the value, or throws it if it is an error. */
export function orThrow<T>(found: T | AppError): T {
  if (found instanceof AppError) throw found
  return found
}

/** Returns the session's team, or an error if there is none. */
export function teamOf({ team }: Pick<SessionState, "team">): TeamState | AppError {
  return team ?? new AppError("not_found", "This session has no team.")
}

export function nodeOf(team: TeamState, nodeId: string): WorkNode | AppError {
  const node = Object.hasOwn(team.nodes, nodeId) ? team.nodes[nodeId] : undefined
  return node ?? refused(`There is no node ${nodeId}.`, { node_id: nodeId })
}

/** Finds a worker by ID or by case-insensitive name. */
export function workerOf(team: TeamState, idOrName: string): WorkerState | AppError {
  const wanted = idOrName.toLowerCase()
  const worker = Object.values(team.workers).find(
    ({ workerId, name }) => workerId === idOrName || name.toLowerCase() === wanted,
  )
  return worker ?? refused(`There is no worker ${idOrName}.`, { worker_id: idOrName })
}
