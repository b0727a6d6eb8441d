import type { SessionState } from "../../state.ts"
import { activeRun, isEnded, type RunState, runOf } from "../runs/state.ts"
import { isProgram, nodesIn, type TeamState, type WorkNode } from "./state.ts"

/** A run that a team no longer wants, and why. */
interface UnwantedRun {
  runId: string
  reason: string
}

/**
 * The runs that a team no longer wants and that nobody has asked to stop: all of a team that has ended, those of nodes that a
 * stage's time ran out on, and the programs of a team that was stopped, which don't ask whether it was before they go on.
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
  // What the program that coordinates is told after the team has ended isn't the team's.
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
    // One that was done again since then, and failed again, ended later.
    const left = nodesIn(team, "failed").filter(
      (node) => stopped.includes(node.nodeId) && Number(node.endedSeq) < timedOutSeq,
    )
    return lastRuns(left).map((runId) => ({ runId, reason: `The time of the stage ${name} was up.` }))
  })
}

function lastRuns(nodes: WorkNode[]): string[] {
  return nodes.flatMap(({ runs }) => runs.at(-1)?.runId ?? [])
}

/** The turn of the program that coordinates. */
function turnOf(state: SessionState, { coordinator }: TeamState): RunState | undefined {
  return coordinator ? activeRun(state, coordinator.agentId) : undefined
}
