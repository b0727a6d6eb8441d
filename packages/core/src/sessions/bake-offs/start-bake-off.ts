import { NewTask } from "../../agents/tasks/schema.ts"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { entrantName } from "../../work/bake-offs/entrant-names.ts"
import type { Entrant, NewBakeOff } from "../../work/bake-offs/schema.ts"
import type { BakeOffState } from "../../work/bake-offs/state.ts"
import { findRun } from "../../work/runs/ended-runs.ts"
import { reserveRunId } from "../../work/runs/idempotency.ts"
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
 * the session as it is then. Throws for everything that can be wrong with one of them before any begins. Requests with the same idempotency key
 * start one between them: a repeated one begins what the first left out, and gets the same bake-off.
 */
export async function startBakeOff(
  deps: StartBakeOffDeps,
  { owner, sid, sessionId, state, ...known }: OwnedSession,
  asked: NewBakeOff,
  { key, ...options }: { key: string | undefined; signal: AbortSignal },
): Promise<[OwnedSession, BakeOffState]> {
  if (state.session.repository === null) {
    throw new AppError(
      "task_invalid",
      "A bake-off takes a session in a repository: one of the results is merged there.",
    )
  }
  const bakeOffId = await idOf(deps, { owner, sessionId, key, asked }, options)
  const session = await openSessionLog(deps, sid, options)
  const earlier = session.state.bakeOffs.list.find((one) => one.bakeOffId === bakeOffId)
  const missing = earlier && (await notStarted(deps, { sid, state: session.state }, earlier, options))
  if (earlier && missing?.length === 0) return [{ ...known, owner, sid, sessionId, state: session.state }, earlier]
  await deps.budgets.require(owner, options)
  const runs: SessionlessRun[] = []
  // One after the other: the first may store the consent.
  for (const task of tasksOf(asked)) runs.push(await parseAgentRun(deps, owner, task, { state, ...options }))
  const planned = runs.map((run, index) => plannedEntrant(deps, run, asked.entrants[index]))
  const { verify, base_branch: baseBranch, mode = "bypass" } = asked
  const about = { bakeOffId, title: titleOf(asked.task_description), verify, mode, baseBranch }
  await session.decide(startRule({ ...about, entrants: planned, maxActive: deps.maxActive }), options)
  const started = findBakeOff(session.state, bakeOffId)
  for (const [index, entrant] of started.entrants.entries()) {
    const { run_id: runId, agent_id: agentId, worktree } = entrant
    const run = runs[index]
    if (!run || (missing && !missing.includes(entrant))) continue
    await startRun(deps, { ...run, sid, sessionId, runId, agentId, worktree, repeatable: key !== undefined }, options)
  }
  await session.catchUp(options)
  return [{ ...known, owner, sid, sessionId, state: session.state }, started]
}

/** A new id, or the one that the first request with this key got. */
async function idOf(
  deps: StartBakeOffDeps,
  { owner, sessionId, key, asked }: { owner: string; sessionId: string; key: string | undefined; asked: NewBakeOff },
  options: { signal: AbortSignal },
): Promise<string> {
  const fresh = { runId: deps.newId("bko"), sessionId }
  if (key === undefined) return fresh.runId
  const body = { bake_off: asked, session: sessionId }
  return (await reserveRunId(deps, { owner, key, body }, fresh, options)).runId
}

/** The entrants whose runs never began, because the server died or one was refused. */
async function notStarted(
  { records }: StartBakeOffDeps,
  session: { sid: string; state: SessionState },
  { entrants }: BakeOffState,
  options: { signal: AbortSignal },
): Promise<Entrant[]> {
  const runs = await Promise.all(entrants.map(({ run_id }) => findRun(records, session, run_id, options)))
  return entrants.filter((_, index) => runs[index] === undefined)
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
