import { decidePermission, ruleFor } from "../../agents/permissions/decide.ts"
import { combineRules } from "../../agents/permissions/repository-rules.ts"
import { permissionsOf, repositoryRulesOf } from "../../agents/questions/state.ts"
import type { DecideCommand } from "../../work/teams/team-context.ts"

/**
 * Decides whether a worker may run a command, based on the team's mode, the rules of the owner, the repository and the session, and
 * the worker's permissions.
 */
export const decideTeamCommand: DecideCommand = (state, workerId, command) => {
  const { commands } = state.team ?? {}
  if (!commands) return { effect: "deny", reason: "This team may not run commands." }
  // Always allow the command that the worker was started with, because the person who set the goal specified it.
  if (state.team?.workers[workerId]?.command === command) return { effect: "allow" }
  const { mode, rules: owner = [] } = commands
  const { rules: repository, fault } = repositoryRulesOf(state, state.team?.base?.worktree) ?? {}
  if (fault !== undefined) return { effect: "deny", reason: fault }
  // A team's request can't contain consent to the repository's file.
  const rules = combineRules({ owner, repository, allows: false })
  const policy = { mode, rules: [...rules, ...state.questions.sessionRules, ...permissionsOf(state, workerId).rules] }
  const request = { tool: "bash" as const, name: "bash", command }
  const decided = decidePermission(policy, request)
  return decided.effect === "ask" ? { ...decided, rule: ruleFor(request) } : decided
}
