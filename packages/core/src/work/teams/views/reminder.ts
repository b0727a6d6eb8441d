import type { Message } from "../../../models/provider.ts"
import { nodesIn, type TeamState } from "../state.ts"
import { activeTriggers } from "../trigger-state.ts"

export const REMINDER =
  "Nothing is under way, so nothing will wake you. Assign a node, call finish, or ask a person if you can't go on."

/**
 * Returns true if nothing would ever wake the coordinator, and the coordinator hasn't been reminded since the last
 * news.
 */
export function isForgotten(team: TeamState, messages: readonly Message[]): boolean {
  if (team.mode === "infinite" || activeTriggers(team.triggers).length > 0) return false
  if (nodesIn(team, "running", "assigned").length > 0) return false
  // Remind only once, because a model that responds with useless calls would otherwise be reminded forever.
  return messages.findLast(({ role }) => role === "user")?.content !== REMINDER
}
