import { namedAgent } from "../agents/conversations/state.ts"
import type { SessionState } from "../state.ts"

/** Returns the name of an agent, or of a team's worker. Returns the ID if no name is known. */
export function agentName(state: Pick<SessionState, "agents" | "team">, agentId: string): string {
  return namedAgent(state, agentId)?.name ?? state.team?.workers[agentId]?.name ?? agentId
}
