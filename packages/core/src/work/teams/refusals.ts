import { AppError } from "../../errors.ts"
import type { SessionState } from "../../state.ts"
import type { TeamState, WorkerState, WorkNode } from "./state.ts"

/** The refusal of something that the rules of a team don't allow. */
export function refused(message: string, details: Record<string, unknown> = {}): AppError {
  return new AppError("team_refused", message, details)
}

/** The value, unless it is a refusal: that is thrown. */
export function orThrow<T>(found: T | AppError): T {
  if (found instanceof AppError) throw found
  return found
}

/** The session's team, or the refusal where it has none. */
export function teamOf({ team }: Pick<SessionState, "team">): TeamState | AppError {
  return team ?? new AppError("not_found", "This session has no team.")
}

export function nodeOf(team: TeamState, nodeId: string): WorkNode | AppError {
  const node = Object.hasOwn(team.nodes, nodeId) ? team.nodes[nodeId] : undefined
  return node ?? refused(`There is no node ${nodeId}.`, { node_id: nodeId })
}

/** A worker by its id or its name, which differ from others' in more than case. */
export function workerOf(team: TeamState, idOrName: string): WorkerState | AppError {
  const wanted = idOrName.toLowerCase()
  const worker = Object.values(team.workers).find(
    ({ workerId, name }) => workerId === idOrName || name.toLowerCase() === wanted,
  )
  return worker ?? refused(`There is no worker ${idOrName}.`, { worker_id: idOrName })
}
