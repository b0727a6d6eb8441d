import type { LogEvent } from "../../events.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { type NodeName, NodeUpdate, type Plan, type TaskPlan } from "./schema.ts"

/** How far a run is, as its log tells it. What stands here is never asked for, or done, again. */
export interface Progress {
  /** Visits that were begun. */
  visits: Record<NodeName, number>
  plan?: Plan
  taskPlan?: TaskPlan
  /** Steps of the coder that were finished and told. */
  stepsFinished: number
  done: boolean
}

/** The events of nodes, with what they brought. */
type NodeEvent =
  | { type: "node_started"; node: NodeName; iteration: number }
  | { type: "node_finished"; node: NodeName; update: NodeUpdate }

const noProgress: Progress = {
  visits: { planner: 0, architect: 0, coder: 0 },
  stepsFinished: 0,
  done: false,
}

export function applyProgress(progress: Progress, event: NodeEvent): Progress {
  const { node } = event
  if (event.type === "node_started") {
    return { ...progress, visits: { ...progress.visits, [node]: event.iteration } }
  }
  const { plan, task_plan, current_step_idx, status } = event.update
  return {
    ...progress,
    plan: progress.plan ?? plan,
    taskPlan: progress.taskPlan ?? task_plan,
    stepsFinished: current_step_idx ?? progress.stepsFinished,
    done: progress.done || status === "DONE",
  }
}

/** Folds what a run has said so far. */
export async function readProgress(
  history: AsyncIterable<LogEvent>,
  blobs: Blobs,
  options: { signal: AbortSignal },
): Promise<Progress> {
  let progress = noProgress
  for await (const event of history) {
    if (event.type === "node_started") progress = applyProgress(progress, event)
    if (event.type !== "node_finished") continue
    const update = await readField(blobs, event.update, NodeUpdate, options)
    progress = applyProgress(progress, { type: "node_finished", node: event.node, update })
  }
  return progress
}
