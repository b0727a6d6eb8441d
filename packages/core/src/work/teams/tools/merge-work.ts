import { isAppError } from "../../../errors.ts"
import { worktreeOf } from "../../../files/worktrees/state.ts"
import type { SessionState } from "../../../state.ts"
import { RunParked } from "../../runs/run-context.ts"
import { isEnded, type RunState, runOf } from "../../runs/state.ts"
import { TRAIN_AGENT } from "../../trains/agent-schema.ts"
import { resultsOf } from "../project.ts"
import { orThrow, refused, teamOf } from "../refusals.ts"
import { COORDINATOR } from "../schema.ts"
import { isProgram, type TeamState } from "../state.ts"
import type { MemberRun } from "./member.ts"

/**
 * Merges the worktrees of programs whose nodes are completed, one after another, in a merge train. Parks until the
 * train ends. Throws if the train stopped early.
 */
export async function mergeWork(member: MemberRun): Promise<void> {
  const { context } = member
  const state = await context.catchUp()
  const team = orThrow(teamOf(state))
  if (team.trainRunId === null) return begin(member, state, team)
  const train = runOf(state, team.trainRunId)
  if (train && !isEnded(train)) throw waiting(train.runId)
  const isMerged = train === undefined || train.status === "completed"
  await context.decide(() => [{ type: "team_merge_ended", merged: isMerged }])
  if (train && !isMerged) throw await stopped(member, train)
}

async function begin({ deps, context }: MemberRun, state: SessionState, team: TeamState) {
  const worktrees = worktreesToMerge(state, team)
  if (worktrees.length === 0) return
  const runId = deps.newId("run")
  const merge = { strategy: "merge" as const, delete_worktree: team.mode === "finite" }
  const run = { runId, kind: "train" as const, model: "none", agentId: TRAIN_AGENT }
  const about = { run_id: team.runId, agent_id: COORDINATOR, train_run_id: runId, worktrees }
  const alongside = () => () => [{ type: "team_merge_started" as const, ...about }]
  // Wait for the agents, because workers may still be busy with messages from people.
  const input = { worktrees, merge, checks: false, waits_for_agents: true }
  try {
    await deps.startInside(context, { ...run, input, alongside }, context)
  } catch (error) {
    if (!isAppError(error, "run_active")) throw error
    throw refused("Other worktrees in the session are being merged. Call finish again in a while.")
  }
  throw waiting(runId)
}

/**
 * Returns the worktrees to merge: first those of programs that completed their last node, in order of completion, then
 * the worktree that contains the models' results.
 */
function worktreesToMerge(state: SessionState, team: TeamState): string[] {
  const ended = Object.values(team.nodes).sort((a, b) => (a.endedSeq ?? 0) - (b.endedSeq ?? 0))
  const finished = Object.values(team.workers).flatMap((worker) => {
    const last = ended.findLast(({ workerId, endedSeq }) => workerId === worker.workerId && endedSeq !== null)
    const { worktree } = worker
    if (!isProgram(worker) || worktree === null || last?.status !== "completed") return []
    return worktreeOf(state, worktree).exists ? [{ worktree, at: last.endedSeq ?? 0 }] : []
  })
  const programs = finished.sort((a, b) => a.at - b.at).map(({ worktree }) => worktree)
  const { base } = team
  const hasResults = base !== null && !base.isStale && resultsOf(team).length > 0
  return hasResults ? [...programs, base.worktree] : programs
}

function ignoreBusy(error: unknown): void {
  if (!isAppError(error, "worktree_busy")) throw error
}

function waiting(run: string): RunParked {
  return new RunParked("the team's work is being merged", { run })
}

async function stopped({ deps, context }: MemberRun, { runId, firstSeq }: RunState) {
  let said = "The merges were cancelled."
  for await (const event of context.history({ runId, firstSeq })) {
    if (event.type === "run_failed") said = event.message
    if (event.type !== "merge_train_step_finished" || event.status !== "conflicts") continue
    // While a merge waits for people, the worker can't resolve the conflict, so abort the merge.
    const { worktree } = event
    await context.decide(deps.programs.abortMerge(deps.newId("cmd"), worktree)).catch(ignoreBusy)
  }
  return refused(
    `Some work couldn't be merged. ${said} Ask one of the conflicting workers to merge the other's branch and resolve the conflicts, or ask a person. Then call finish again.`,
  )
}
