import type { Message } from "../../../models/provider.ts"
import { nodesIn, type TeamState } from "../state.ts"
import { activeTriggers } from "../trigger-state.ts"

export const REMINDER =
  "Nothing is under way, so nothing will wake you. Assign a node, call finish, or ask a person if you can't go on."

/** Returns true if only a person could wake the coordinator. */
export function isStuck(team: TeamState): boolean {
  if (team.mode === "infinite" || activeTriggers(team.triggers).length > 0) return false
  return nodesIn(team, "running", "assigned").length === 0
}

/** Returns true if the coordinator has been reminded and hasn't received any news since. */
export function isReminded(messages: readonly Message[]): boolean {
  return messages.findLast(({ role }) => role === "user")?.content === REMINDER
}

const WORDS_CHARS = 3000

/**
 * Returns the question for a person if the coordinator has stopped using tools. The question quotes the coordinator's
 * last words.
 */
export function stuckQuestion(words: string): string {
  const said = words.trim() === "" ? "It said nothing." : `Its last words:\n\n${words.trim().slice(-WORDS_CHARS)}`
  return `The coordinator stopped, although nothing is under way and the goal isn't declared reached. ${said}\n\nWhat should it do? You can also stop the team.`
}
