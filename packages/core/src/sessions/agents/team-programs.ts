import { AgentName } from "../../agents/conversations/agent-schema.ts"
import { createAgent } from "../../agents/conversations/rules.ts"
import { openAgent, openAgents } from "../../agents/conversations/state.ts"
import { requestCommand } from "../../agents/runner/worktree-command-rules.ts"
import { agentModel } from "../../agents/tasks/new-task.ts"
import { AppError } from "../../errors.ts"
import type { Verdict } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { CheckCommands } from "../../work/gate/schema.ts"
import { refused, teamOf } from "../../work/teams/refusals.ts"
import type { TeamPrograms } from "../../work/teams/team-context.ts"
import { spawnWorker } from "../../work/teams/team-rules.ts"
import { hasWebhook } from "../../work/teams/trigger-state.ts"
import { DEFAULT_ATTEMPTS, type VerificationPlan } from "../../work/verification/schema.ts"

/**
 * Coding programs as workers of a team. Each program is an agent in the team's session, and each of its nodes is a run.
 */
export const teamPrograms: TeamPrograms = {
  spawn: spawnProgram,
  runOf(state, { workerId, name, worktree }, { task, branch, checks }, { repository, mode, verification: plan }) {
    const program = openAgent(state, workerId)?.program
    if (!program) throw refused(`${name} has left the session.`)
    const verification = checks ? proofOf(checks, plan, state) : plan
    const input = {
      ...{ task, ...program, repository, mode },
      ...(verification && { verification }),
      ...(branch !== undefined && { merge_branch: branch }),
      ...(state.team && hasWebhook(state.team.triggers) && { keys_only: true }),
      terminal: { rows: 24, cols: 80 },
    }
    const place = { agentId: workerId, worktree: worktree ?? undefined }
    return { kind: "agent", model: agentModel(input), input, ...place }
  },
  join(state, { agentId, program: { mode, ...program }, workerTypes }) {
    if (teamOf(state) instanceof AppError || state.team?.coordinator) return []
    const name = freeName(state)
    const created = createAgent({ agentId, name, program, mode, worktree: "own" })(state)
    if (created instanceof AppError) return created
    const worktree = created.flatMap((event) => (event.type === "agent_created" ? event.worktree : []))[0] ?? ""
    const model = `${program.cli}/${program.model ?? "default"}`
    const about = { coordinator_id: agentId, worktree, model, worker_types: workerTypes }
    return [...created, { type: "coordinator_joined", ...about }]
  },
  abortMerge: (commandId, worktree) => requestCommand(commandId, { command: "abort" }, worktree),
}

/**
 * Returns the verification of a node whose task names checks. This is the team's usual verification, with these checks
 * as its commands.
 */
function proofOf(checks: CheckCommands, plan: VerificationPlan | undefined, state: SessionState): VerificationPlan {
  const usual = { ...state.team?.commands?.checks, ...state.workspace.checkCommands }
  const max_attempts = state.team?.commands?.max_attempts ?? DEFAULT_ATTEMPTS
  const { commands = usual, ...rest } = plan ?? { allow_test_changes: false, max_attempts }
  return { ...rest, commands: { ...commands, ...checks } }
}

/** Adds a worker. In the same batch, adds an agent with its own worktree to the session. */
function spawnProgram(...[state, asked, { program, mode }]: Parameters<TeamPrograms["spawn"]>): Verdict {
  const team = teamOf(state)
  if (team instanceof AppError) return team
  const name = asked.name.trim()
  if (!AgentName.safeParse(name).success)
    return refused(`${name} is not a valid program name. Use up to 64 letters, digits, dots, hyphens and underscores.`)
  const { cli, account, model, reasoning } = program
  const about = { agentId: asked.workerId, name, program: { cli, account, model, reasoning }, mode }
  const created = createAgent({ ...about, worktree: "own" })(state)
  if (created instanceof AppError) return created
  const worktree = created.flatMap((event) => (event.type === "agent_created" ? event.worktree : []))[0]
  const worker = { ...asked, name, type: cli, worktree, model: `${cli}/${model ?? "default"}` }
  const spawned = spawnWorker(team, worker)
  return spawned instanceof AppError ? spawned : [...created, ...spawned]
}

/**
 * Returns an unused name for a coordinator's agent. The usual name may be taken, because the session may have had other
 * teams before.
 */
function freeName(state: SessionState): string {
  const taken = new Set(openAgents(state).map(({ name }) => name.toLowerCase()))
  const names = Array.from({ length: taken.size + 1 }, (_, at) => (at === 0 ? "Coordinator" : `Coordinator-${at + 1}`))
  return names.find((name) => !taken.has(name.toLowerCase())) ?? "Coordinator"
}
