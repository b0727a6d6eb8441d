import { AppError } from "../../errors.ts"
import type { SessionEvent } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { mayBeForgotten } from "./ended-runs.ts"
import { isBuild, type RunKind, usesWorktree } from "./kinds.ts"
import { activeRun, activeRuns, liveRuns, runInWorktree, runOf } from "./state.ts"

type NewRun = Omit<Extract<SessionEvent, { type: "run_created" }>, "type">

/** Default maximum number of active agents per session. Each agent is a program with its own worktree. */
export const MAX_ACTIVE_RUNS = 8

/**
 * Maximum number of worktrees that a session can create over its lifetime, because the state keeps an entry for each.
 */
const MAX_WORKTREES = 50

/**
 * Creates a run. An agent can have at most one active run, and so can a worktree. Does nothing if the run already
 * exists. Refuses an ID so old that its run may have been dropped from the state, because IDs are never reused.
 */
export function createRun(run: NewRun, { maxActive = MAX_ACTIVE_RUNS }: { maxActive?: number } = {}): Rule {
  return (state) => {
    if (runOf(state, run.run_id)) return []
    if (mayBeForgotten(state, run.run_id)) {
      const message = "This run was requested too long ago to start. Start a new one."
      return new AppError("idempotency_conflict", message, { run_id: run.run_id })
    }
    const refused =
      agentGone(state, run) ??
      agentBusy(state, run, maxActive) ??
      (usesWorktree(run) || isRepositoryBuild(state, run) ? worktreeTaken(state, run) : undefined)
    if (refused) return refused
    return [{ type: "run_created", ...run }]
  }
}

/**
 * Refuses a new worktree if the session has reached the maximum, or already has a worktree whose name differs only in
 * case.
 */
export function worktreeRefusal(state: SessionState, worktree: string): AppError | undefined {
  const agents = Object.values(state.agents.open)
  const used = new Set([MAIN_WORKTREE, ...Object.keys(state.worktrees.byName), ...agents.map((one) => one.worktree)])
  if (used.has(worktree)) return undefined
  if (used.size >= MAX_WORKTREES) {
    const message = `This session already has ${used.size} worktrees. Use an existing worktree.`
    return new AppError("task_invalid", message, { limit: MAX_WORKTREES })
  }
  // On file systems that ignore case, two such worktrees would share a folder and a branch.
  const alike = [...used].find((name) => name.toLowerCase() === worktree.toLowerCase())
  if (alike === undefined) return undefined
  return new AppError("task_invalid", `This session has a worktree named ${alike}, which differs only in case.`, {
    worktree: alike,
  })
}

/** Refuses a run if its agent was closed, or if `agent_id` contains an agent's name instead of its ID. */
function agentGone({ agents }: SessionState, { agent_id }: { agent_id: string }): AppError | undefined {
  if (agents.closed.some(({ agentId, isCreated }) => isCreated && agentId === agent_id)) {
    return new AppError("agent_closed", "This agent was closed.", { agent_id })
  }
  if (Object.hasOwn(agents.open, agent_id)) return undefined
  const created = Object.values(agents.open).filter(({ isCreated }) => isCreated)
  const named = created.find(({ name }) => name.toLowerCase() === agent_id.toLowerCase())
  if (!named) return undefined
  return new AppError("agent_exists", `This session already has an agent named ${named.name}.`, {
    agent_id: named.agentId,
  })
}

function agentBusy(state: SessionState, { agent_id }: { agent_id: string }, maxActive: number): AppError | undefined {
  const active = activeRun(state, agent_id)
  if (active)
    return new AppError("run_active", "Another run is active here. Wait for it to end, or cancel it.", {
      run_id: active.runId,
    })
  if (liveRuns(state).length < maxActive) return undefined
  const message = `${maxActive} agents are already working in this session. Wait for one of them to finish.`
  return new AppError("run_active", message, { limit: maxActive })
}

/**
 * Returns true for a build in a session on a repository. Such a build reads and changes the files of the main worktree.
 */
function isRepositoryBuild({ session }: SessionState, run: { kind: RunKind }): boolean {
  return session.repository !== null && isBuild(run)
}

function worktreeTaken(state: SessionState, run: NewRun): AppError | undefined {
  const { worktree = MAIN_WORKTREE } = run
  const build = activeRuns(state).find((one) => isRepositoryBuild(state, one))
  const active = runInWorktree(state, worktree) ?? (worktree === MAIN_WORKTREE ? build : undefined)
  if (!active) return worktreeRefusal(state, worktree)
  const worker = active === build ? "A build" : "Another agent"
  // A build always uses the main worktree.
  const wayOut = isBuild(run) ? "Wait for it, or cancel it." : "Wait for it, or use another worktree."
  const message = `${worker} is working in this worktree. ${wayOut}`
  return new AppError("run_active", message, { run_id: active.runId, worktree })
}
