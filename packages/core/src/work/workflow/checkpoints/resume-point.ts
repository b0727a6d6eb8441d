import type { LogEvent } from "../../../events.ts"
import { readField } from "../../../log/payload.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import { advanceProgress, noProgress, type RunProgress } from "../../runs/progress.ts"
import type { RunContext } from "../../runs/run-context.ts"
import {
  type ChangedTestReason,
  type NodeName,
  NodeUpdate,
  type Plan,
  type ReviewFinding,
  type TaskPlan,
  type WorkflowInput,
} from "../schema.ts"

/** Point from which an executor continues. Everything recorded in it is finished and isn't generated again. */
export interface ResumePoint extends RunProgress {
  plan?: Plan
  taskPlan?: TaskPlan
  /** Tests changed by repairs, each with the model's latest reason. */
  changedTests?: readonly ChangedTestReason[]
  /** The review's findings, once the review has run. */
  review?: ReviewFinding[]
}

/** Node events with their complete updates. */
type NodeEvent =
  | { type: "node_started"; node: NodeName; iteration: number; file_path?: string }
  | { type: "node_finished"; node: NodeName; update: NodeUpdate }

/**
 * Returns the resume point after one more event. Keeps the first plan, because the finished steps wouldn't match a
 * later plan.
 */
export function advanceResumePoint(point: ResumePoint, event: NodeEvent): ResumePoint {
  const next: ResumePoint = { ...point, ...advanceProgress(point, event) }
  if (event.type === "node_started") return next
  const { plan, task_plan: taskPlan, review, changed_tests } = event.update
  return {
    ...next,
    ...(changed_tests && { changedTests: [...(point.changedTests ?? []), ...changed_tests] }),
    plan: point.plan ?? plan,
    taskPlan: point.taskPlan ?? taskPlan,
    review: point.review ?? review,
  }
}

/**
 * Reads a run's progress. The plan, the tasks and the finished steps are taken over from the runs that this run
 * resumes.
 */
export async function readResumePoint(
  { input, history }: Pick<RunContext<WorkflowInput>, "input" | "history">,
  blobs: Blobs,
  options: { signal: AbortSignal },
): Promise<ResumePoint> {
  let point: ResumePoint = noProgress
  for (const { run_id: runId, first_seq: firstSeq } of input.resumes ?? []) {
    point = await advance(point, history({ runId, firstSeq }), blobs, options)
    point = { ...point, visits: noProgress.visits, writing: [], failed: [], done: false, review: undefined }
  }
  return advance(point, history(), blobs, options)
}

async function advance(
  from: ResumePoint,
  history: AsyncIterable<LogEvent>,
  blobs: Blobs,
  options: { signal: AbortSignal },
): Promise<ResumePoint> {
  let point = from
  for await (const event of history) {
    if (event.type === "node_started") point = advanceResumePoint(point, event)
    if (event.type !== "node_finished") continue
    const update = await readField(blobs, event.update, NodeUpdate, options)
    point = advanceResumePoint(point, { type: "node_finished", node: event.node, update })
  }
  return point
}
