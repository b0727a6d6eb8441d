import { AppError } from "../../errors.ts"
import type { SessionEvent } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { mayBeForgotten } from "./ended-runs.ts"
import { usesWorktree } from "./kinds.ts"
import { activeRun, liveRuns, runInWorktree, runOf } from "./state.ts"

type NewRun = Omit<Extract<SessionEvent, { type: "run_created" }>, "type">

/** The agents of a session that may be at work at once, where nothing else is set: each is a program with a worktree. */
export const MAX_ACTIVE_RUNS = 8

/** The worktrees of a session: its state has an entry for each that ever was. */
const MAX_WORKTREES = 50

/**
 * One active run an agent, and one a worktree. An id that was used is said nothing to; one that may have been used so long
 * ago that the state doesn't know it any more is refused, for ids are never used twice.
 */
export function createRun(run: NewRun, { maxActive = MAX_ACTIVE_RUNS }: { maxActive?: number } = {}): Rule {
  return (state) => {
    if (runOf(state, run.run_id)) return []
    if (mayBeForgotten(state, run.run_id)) {
      const message = "This run was asked for so long ago that it can't begin any more. Ask for a new one."
      return new AppError("idempotency_conflict", message, { run_id: run.run_id })
    }
    const refused =
      agentGone(state, run) ??
      agentBusy(state, run, maxActive) ??
      (usesWorktree(run) ? worktreeTaken(state, run.worktree) : undefined)
    if (refused) return refused
    return [{ type: "run_created", ...run }]
  }
}

/** The refusal of a run in a worktree that can't be: there are too many, or one whose name differs only in case. */
export function worktreeRefusal(state: SessionState, worktree: string): AppError | undefined {
  const agents = Object.values(state.agents.open)
  const used = new Set([MAIN_WORKTREE, ...Object.keys(state.worktrees.byName), ...agents.map((one) => one.worktree)])
  if (used.has(worktree)) return undefined
  if (used.size >= MAX_WORKTREES) {
    const message = `This session has ${used.size} worktrees already. Name one of them.`
    return new AppError("task_invalid", message, { limit: MAX_WORKTREES })
  }
  // Not every file system tells upper from lower case, and each worktree has a folder and a branch.
  const alike = [...used].find((name) => name.toLowerCase() === worktree.toLowerCase())
  if (alike === undefined) return undefined
  return new AppError("task_invalid", `This session has a worktree named ${alike}, which differs only in case.`, {
    worktree: alike,
  })
}

/** An agent that was closed gets no run any more, and an agent's name is no id. */
function agentGone({ agents }: SessionState, { agent_id }: { agent_id: string }): AppError | undefined {
  if (agents.closed.some(({ agentId, isCreated }) => isCreated && agentId === agent_id)) {
    return new AppError("agent_closed", "This agent was closed.", { agent_id })
  }
  if (Object.hasOwn(agents.open, agent_id)) return undefined
  const created = Object.values(agents.open).filter(({ isCreated }) => isCreated)
  const named = created.find(({ name }) => name.toLowerCase() === agent_id.toLowerCase())
  if (!named) return undefined
  return new AppError("agent_exists", `This session has an agent named ${named.name} already.`, {
    agent_id: named.agentId,
  })
}

function agentBusy(state: SessionState, { agent_id }: { agent_id: string }, maxActive: number): AppError | undefined {
  const active = activeRun(state, agent_id)
  if (active) return new AppError("run_active", "A run is already active in this session.", { run_id: active.runId })
  if (liveRuns(state).length < maxActive) return undefined
  const message = `${maxActive} agents are at work in this session already. Wait for one of them to finish.`
  return new AppError("run_active", message, { limit: maxActive })
}

function worktreeTaken(state: SessionState, worktree = MAIN_WORKTREE): AppError | undefined {
  const active = runInWorktree(state, worktree)
  if (!active) return worktreeRefusal(state, worktree)
  const message = "Another agent is at work in this worktree. Wait for it, or name another worktree."
  return new AppError("run_active", message, { run_id: active.runId, worktree })
}
