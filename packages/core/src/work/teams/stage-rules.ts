import type { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Verdict } from "../../kernel/session-log.ts"
import { refused } from "./refusals.ts"
import { MAX_STAGES, type StageContract } from "./schema.ts"
import { currentStage, statusOfStage, timedStages } from "./stages.ts"
import { nodesIn, type TeamState } from "./state.ts"

/** Adds a new node to a stage. The first node starts the stage. Refuses if the stage is already completed. */
export function useStage(
  team: TeamState,
  stage: string | undefined,
  contract: StageContract = { checkpoint_policy: "all_must_complete" },
): NewEvent[] | AppError {
  if (stage === undefined) return []
  const known = team.stages.find(({ name }) => name === stage)
  if (known?.reconvenedSeq != null) return refused(`The stage ${stage} is completed. Use a different one.`, { stage })
  if (known) return []
  if (team.stages.length >= MAX_STAGES) return refused(`A team can have at most ${MAX_STAGES} stages.`)
  return [{ type: "stage_started", stage, ...contract }]
}

/**
 * Completes the named stage or, without a name, the current one. Refuses if the stage's policy isn't met and some of
 * its nodes haven't ended.
 */
export function reconvene(team: TeamState, named: string | undefined, assessment: string): Verdict {
  const stage = named === undefined ? currentStage(team) : team.stages.find(({ name }) => name === named)
  if (!stage) return refused(named === undefined ? "No stage is open." : `There is no stage ${named}.`)
  const status = statusOfStage(team, stage)
  if (status !== "reconvening") return refused(`The stage ${stage.name} is ${status}, so it can't be reconvened.`)
  return [{ type: "stage_reconvened", stage: stage.name, assessment }]
}

/** Times out the stages whose time is up, and fails their unfinished nodes. */
export function timeOutStages(team: TeamState, now: number): NewEvent[] {
  const over = timedStages(team).filter(({ endsAt }) => Date.parse(endsAt) <= now)
  const underWay = nodesIn(team, "assigned", "running").filter(({ isDone }) => !isDone)
  return over.flatMap(({ name: stage, nodeIds }): NewEvent[] => {
    const stopped = underWay.flatMap(({ nodeId }) => (nodeIds.includes(nodeId) ? nodeId : []))
    const reason = `The stage ${stage} timed out.`
    const failed = stopped.map((node_id): NewEvent => ({ type: "work_node_failed", node_id, reason }))
    return [...failed, { type: "stage_timed_out", stage, stopped }]
  })
}
