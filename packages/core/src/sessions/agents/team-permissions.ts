import { decidePermission, ruleFor } from "../../agents/permissions/decide.ts"
import { permissionsOf } from "../../agents/questions/state.ts"
import type { DecideCommand } from "../../work/teams/team-context.ts"

/**
 * Decides whether a worker may run a command, based on the team's mode, the rules of the owner and of the session, and
 * the worker's permissions.
 */
export const decideTeamCommand: DecideCommand = (state, workerId, command) => {
  const { commands } = state.team ?? {}
  if (!commands) return { effect: "deny", reason: "This team may not run commands." }
  // Always allow the command that the worker was started with, because the person who set the goal specified it.
  if (state.team?.workers[workerId]?.command === command) return { effect: "allow" }
  const { mode, rules = [] } = commands
  const policy = { mode, rules: [...rules, ...state.questions.sessionRules, ...permissionsOf(state, workerId).rules] }
  const request = { tool: "bash" as const, name: "bash", command }
  const decided = decidePermission(policy, request)
  return decided.effect === "ask" ? { ...decided, rule: ruleFor(request) } : decided
}
