import { NewTask } from "../../agents/tasks/schema.ts"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { entrantName } from "../../work/bake-offs/entrant-names.ts"
import type { NewBakeOff } from "../../work/bake-offs/schema.ts"
import type { BakeOffState } from "../../work/bake-offs/state.ts"
import type { SessionlessRun } from "../../work/runs/runs.ts"
import { titleOf } from "../../work/runs/title.ts"
import type { OwnedSession } from "../agents/agents.ts"
import { type AgentRequestDeps, parseAgentRun } from "../requests/agent-request.ts"
import { type StartRunDeps, startRun } from "../requests/start-run.ts"
import { findBakeOff, type PlannedEntrant, startBakeOff as startRule } from "./bake-off-rules.ts"

export interface StartBakeOffDeps extends SessionLogDeps, AgentRequestDeps, StartRunDeps {
  newId: NewId
  maxActive?: number
}

/**
 * Gives one task to several agents, which join the session for it, each with a worktree of its own that begins at the same branch. Resolves to
 * the session as it is then. Throws for everything that can be wrong with one of them before any begins.
 */
export async function startBakeOff(
  deps: StartBakeOffDeps,
  { owner, sid, sessionId, state, ...known }: OwnedSession,
  asked: NewBakeOff,
  options: { signal: AbortSignal },
): Promise<[OwnedSession, BakeOffState]> {
  if (state.session.repository === null) {
    throw new AppError(
      "task_invalid",
      "A bake-off takes a session in a repository: one of the results is merged there.",
    )
  }
  await deps.budgets.require(owner, options)
  const runs: SessionlessRun[] = []
  // One after the other: the first may store the consent.
  for (const task of tasksOf(asked)) runs.push(await parseAgentRun(deps, owner, task, { state, ...options }))
  const planned = runs.map((run, index) => plannedEntrant(deps, run, asked.entrants[index]))
  const bakeOffId = deps.newId("bko")
  const session = await openSessionLog(deps, sid, options)
  const { verify, base_branch: baseBranch, mode = "bypass" } = asked
  const about = { bakeOffId, title: titleOf(asked.task_description), verify, mode, baseBranch }
  await session.decide(startRule({ ...about, entrants: planned, maxActive: deps.maxActive }), options)
  const started = findBakeOff(session.state, bakeOffId)
  for (const [index, { run_id: runId, agent_id: agentId, worktree }] of started.entrants.entries()) {
    const run = runs[index]
    if (run) await startRun(deps, { ...run, sid, sessionId, runId, agentId, worktree }, options)
  }
  await session.catchUp(options)
  return [{ ...known, owner, sid, sessionId, state: session.state }, started]
}

/** The task for each entrant: the same in everything but who does it. */
function tasksOf({ task_description, entrants, mode = "bypass", ...asked }: NewBakeOff) {
  return entrants.map(({ name: _, ...entrant }) => {
    const task = NewTask.parse({ ...asked, ...entrant, task_description, mode })
    return { ...task, task: task_description, repository: undefined, screenshots: [] }
  })
}

function plannedEntrant(
  { newId }: { newId: NewId },
  { input }: SessionlessRun,
  entrant: NewBakeOff["entrants"][number] | undefined,
): PlannedEntrant {
  if (!("cli" in input) || !entrant) throw new AppError("internal_error", "An entrant is no agent.")
  const { cli, account, model, reasoning } = input
  const wantedName = entrant.name ?? entrantName({ agent: entrant.coding_agent, model: entrant.coding_model })
  return { agentId: newId("agt"), runId: newId("run"), wantedName, program: { cli, account, model, reasoning } }
}
