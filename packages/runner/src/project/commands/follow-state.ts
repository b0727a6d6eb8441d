import { endsRun } from "@switchyard/core/work/runs/schema"

/** Decides from the events of the session's log, in their order, when the work of a turn or of a run is to be saved. Pure. */
export function createFollowState(): (event: { type: string }) => "turn" | "run" | undefined {
  let isTurnOver = false
  return (event) => {
    if (endsRun(event)) {
      isTurnOver = false
      return "run"
    }
    if (event.type === "agent_turn_finished") isTurnOver = true
    if (event.type !== "agent_turn_started" || !isTurnOver) return undefined
    // A turn is saved once another one begins: the task itself saves the last one, with what it commits.
    isTurnOver = false
    return "turn"
  }
}
