import type { SessionState } from "../../state.ts"
import { activeRun, isEnded, type RunState, runOf } from "../runs/state.ts"
import { isProgram, nodesIn, type TeamState, type WorkNode } from "./state.ts"

/** A run that a team no longer needs, and why. */
interface UnwantedRun {
  runId: string
  reason: string
}

/**
 * Returns the active runs that a team no longer needs: all runs of an ended team, the runs of nodes in a timed-out
 * stage, and the runs of a stopped team's programs. Programs must be cancelled because they don't notice that their
 * team was stopped.
 */
export function runsToCancel(state: SessionState): UnwantedRun[] {
  const { team } = state
  if (!team) return []
  const isAtWork = (run: RunState | undefined) => run && !isEnded(run) && run.cancelReason === null
  return [...ofEndedTeam(state, team), ...ofStoppedTeam(state, team), ...ofTimedOutStages(team)].filter(({ runId }) =>
    isAtWork(runOf(state, runId)),
  )
}

function ofEndedTeam(state: SessionState, team: TeamState): UnwantedRun[] {
  const { endedSeq, trainRunId } = team
  if (endedSeq === null) return []
  const turn = turnOf(state, team)
  // Leave out a turn of the coordinating program that started after the team's end, because it doesn't belong to the
  // team.
  const turns = turn && turn.firstSeq < endedSeq ? [turn.runId] : []
  const runs = [...lastRuns(nodesIn(team, "running")), ...(trainRunId === null ? [] : [trainRunId]), ...turns]
  return runs.map((runId) => ({ runId, reason: "The team has ended." }))
}

function ofStoppedTeam(state: SessionState, team: TeamState): UnwantedRun[] {
  if (team.endedSeq !== null || team.halted !== "stopped") return []
  const programs = nodesIn(team, "running").filter(({ workerId }) => isProgram(team.workers[workerId ?? ""]))
  const turn = turnOf(state, team)
  const runs = [...lastRuns(programs), ...(turn ? [turn.runId] : [])]
  return runs.map((runId) => ({ runId, reason: "The team was stopped." }))
}

function ofTimedOutStages(team: TeamState): UnwantedRun[] {
  return team.stages.flatMap(({ name, stopped, timedOutSeq }) => {
    if (timedOutSeq === null) return []
    // Leave out a node that was retried after the timeout and failed again.
    const left = nodesIn(team, "failed").filter(
      (node) => stopped.includes(node.nodeId) && Number(node.endedSeq) < timedOutSeq,
    )
    return lastRuns(left).map((runId) => ({ runId, reason: `The stage ${name} timed out.` }))
  })
}

function lastRuns(nodes: WorkNode[]): string[] {
  return nodes.flatMap(({ runs }) => runs.at(-1)?.runId ?? [])
}

/** Returns the active turn of the coordinating program. */
function turnOf(state: SessionState, { coordinator }: TeamState): RunState | undefined {
  return coordinator ? activeRun(state, coordinator.agentId) : undefined
}
