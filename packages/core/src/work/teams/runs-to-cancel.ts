import type { SessionState } from "../../state.ts"
import { isEnded, type RunState, runOf } from "../runs/state.ts"
import { isProgram, nodesIn, type TeamState } from "./state.ts"

/**
 * The runs that a team no longer wants and that nobody has asked to stop: all of a team that has ended, and the programs of one
 * that was stopped, which don't ask whether it was before they go on.
 */
export function runsToCancel(state: SessionState): RunState[] {
  const { team } = state
  if (!team) return []
  return unwanted(team)
    .flatMap((runId) => runOf(state, runId) ?? [])
    .filter((run) => !isEnded(run) && run.cancelReason === null)
}

function unwanted(team: TeamState): string[] {
  const nodes = nodesIn(team, "running")
  const runsOf = (some: typeof nodes) => some.flatMap(({ runs }) => runs.at(-1)?.runId ?? [])
  if (team.endedSeq !== null) return [...runsOf(nodes), ...(team.trainRunId === null ? [] : [team.trainRunId])]
  if (team.halted !== "stopped") return []
  return runsOf(nodes.filter(({ workerId }) => isProgram(team.workers[workerId ?? ""])))
}
