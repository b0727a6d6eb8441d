import { namedAgent } from "../agents/conversations/state.ts"
import type { SessionState } from "../state.ts"

/**
 * Returns the name of an agent or of a team's worker, or its ID if no name is known. An agent that is known only from
 * its tasks has its ID as its name.
 */
export function agentName(state: Pick<SessionState, "agents" | "team">, agentId: string): string {
  const name = namedAgent(state, agentId)?.name
  if (name !== undefined && name !== agentId) return name
  return state.team?.workers[agentId]?.name ?? agentId
}
