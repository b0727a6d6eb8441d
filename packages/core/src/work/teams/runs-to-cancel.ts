import type { SessionState } from "../../state.ts"
import { activeRun, isEnded, type RunState, runOf } from "../runs/state.ts"
import { isProgram, nodesIn, type TeamState } from "./state.ts"

/**
 * The runs that a team no longer wants and that nobody has asked to stop: all of a team that has ended, and the programs of one
 * that was stopped, which don't ask whether it was before they go on.
 */
export function runsToCancel(state: SessionState): RunState[] {
  const { team } = state
  if (!team) return []
  return [...unwanted(team).flatMap((runId) => runOf(state, runId) ?? []), ...turnToCancel(state, team)].filter(
    (run) => !isEnded(run) && run.cancelReason === null,
  )
}

function unwanted(team: TeamState): string[] {
  const nodes = nodesIn(team, "running")
  const runsOf = (some: typeof nodes) => some.flatMap(({ runs }) => runs.at(-1)?.runId ?? [])
  if (team.endedSeq !== null) return [...runsOf(nodes), ...(team.trainRunId === null ? [] : [team.trainRunId])]
  if (team.halted !== "stopped") return []
  return runsOf(nodes.filter(({ workerId }) => isProgram(team.workers[workerId ?? ""])))
}

/** The turn of the program that coordinates. What it is told after the team has ended isn't the team's. */
function turnToCancel(state: SessionState, { coordinator, halted, endedSeq }: TeamState): RunState[] {
  const turn = coordinator ? activeRun(state, coordinator.agentId) : undefined
  if (!turn) return []
  const isUnwanted = endedSeq === null ? halted === "stopped" : turn.firstSeq < endedSeq
  return isUnwanted ? [turn] : []
}
