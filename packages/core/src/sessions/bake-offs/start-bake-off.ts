import { NewTask } from "../../agents/tasks/schema.ts"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { ProtectedOptions } from "../../protections.ts"
import { entrantName } from "../../work/bake-offs/entrant-names.ts"
import type { NewBakeOff } from "../../work/bake-offs/schema.ts"
import type { BakeOffState } from "../../work/bake-offs/state.ts"
import { reserveRunId } from "../../work/runs/idempotency.ts"
import type { NewRun } from "../../work/runs/run-starts.ts"
import { titleOf } from "../../work/runs/title.ts"
import type { OwnedSession } from "../agents/agents.ts"
import { type AgentRequestDeps, parseAgentRun } from "../requests/agent-request.ts"
import { type StartRunDeps, startRuns } from "../requests/start-run.ts"
import { findBakeOff, type PlannedEntrant, startBakeOff as startRule } from "./bake-off-rules.ts"

export interface StartBakeOffDeps extends SessionLogDeps, AgentRequestDeps, StartRunDeps {
  newId: NewId
  maxActive?: number
}

/**
 * Gives the same task to several agents. They join the session, each with its own worktree from the same commit. They
 * are started in one batch, so either all of them start or none. If the process dies, the sweep launches the remaining
 * runs. Returns the resulting session and bake-off. All requests with the same idempotency key return the same
 * bake-off.
 */
export async function startBakeOff(
  deps: StartBakeOffDeps,
  { owner, sid, sessionId, state, ...known }: OwnedSession,
  asked: NewBakeOff,
  { key, ...options }: ProtectedOptions & { key: string | undefined },
): Promise<[OwnedSession, BakeOffState]> {
  if (state.session.repository === null) {
    throw new AppError(
      "task_invalid",
      "Comparing agents requires a session with a repository, because the result you keep is merged into it.",
    )
  }
  const bakeOffId = await idOf(deps, { owner, sessionId, key, asked }, options)
  const session = await openSessionLog(deps, sid, options)
  const earlier = session.state.bakeOffs.list.find((one) => one.bakeOffId === bakeOffId)
  if (earlier) return [{ ...known, owner, sid, sessionId, state: session.state }, earlier]
  const entrants: PlannedEntrant[] = []
  // Parse the tasks one after another, because parsing one task may store a consent that the next ones need.
  for (const [index, task] of tasksOf(asked).entries()) {
    const run = await parseAgentRun(deps, owner, task, { state, ...options })
    entrants.push(plannedEntrant(deps, { ...run, sid, sessionId }, asked.entrants[index]))
  }
  const { verify, base_branch: baseBranch, mode = "bypass" } = asked
  const about = { bakeOffId, title: titleOf(asked.task_description), verify, mode, baseBranch }
  const planned = { ...about, entrants, maxActive: deps.maxActive }
  const runs = entrants.map(({ run }) => run)
  await startRuns(deps, { runs, rule: (create) => startRule(planned, create) }, options)
  await session.catchUp(options)
  return [{ ...known, owner, sid, sessionId, state: session.state }, findBakeOff(session.state, bakeOffId)]
}

/** Returns a new ID, or the ID from an earlier request with this key. */
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

/** Returns the task of each entrant. The tasks differ only in their agents. */
function tasksOf({ task_description, entrants, mode = "bypass", ...asked }: NewBakeOff) {
  return entrants.map(({ name: _, ...entrant }) => {
    const task = NewTask.parse({ ...asked, ...entrant, task_description, mode })
    return { ...task, task: task_description, repository: undefined, screenshots: [] }
  })
}

function plannedEntrant(
  { newId }: { newId: NewId },
  run: NewRun,
  entrant: NewBakeOff["entrants"][number] | undefined,
): PlannedEntrant {
  const { input } = run
  if (!("cli" in input) || !entrant) throw new AppError("internal_error", "An entrant is not an agent.")
  const { cli, account, model, reasoning } = input
  const wantedName = entrant.name ?? entrantName({ agent: entrant.coding_agent, model: entrant.coding_model })
  const [agentId, runId] = [newId("agt"), newId("run")]
  return { run: { ...run, agentId, runId }, agentId, wantedName, program: { cli, account, model, reasoning } }
}
