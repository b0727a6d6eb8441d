import type { PayloadRef } from "../../log/event.ts"
import type { NodeName } from "../workflow/schema.ts"

/**
 * Progress of a workflow run, folded from its events. The executor, lists, streams, the studio and the CLI use the same
 * fold.
 */
export interface RunProgress {
  /** Number of visits started, per node. */
  visits: Readonly<Record<NodeName, number>>
  plannedFiles: number | null
  /** Path of each step. Empty before the architect has finished, or if its plan was too large for the log. */
  steps: readonly string[]
  stepsFinished: number
  /** Null before the architect has finished. */
  stepsTotal: number | null
  /** Paths of files being written. */
  writing: readonly string[]
  /** Paths of files whose steps are finished, in order of completion. */
  finished: readonly string[]
  failed: readonly FailedStep[]
  done: boolean
}

/** A step that the model couldn't complete. */
export interface FailedStep {
  path: string
  reason: string
}

export type ProgressEvent =
  | { type: "node_started"; node: NodeName; iteration: number; file_path?: string }
  | { type: "node_finished"; node: NodeName; update: ProgressUpdate | PayloadRef }

/** Fields of a node's update that the fold reads. Callers parse the events with their own schemas. */
export interface ProgressUpdate {
  plan?: { files: readonly unknown[] }
  task_plan?: { implementation_steps: readonly { file_path: string }[] }
  file_path?: string
  failed?: string
  changed_files?: readonly string[]
  current_step_idx?: number
  total_steps?: number
  planned_files?: number
  status?: "DONE"
}

export const noProgress: RunProgress = {
  visits: { planner: 0, architect: 0, coder: 0 },
  plannedFiles: null,
  steps: [],
  stepsFinished: 0,
  stepsTotal: null,
  writing: [],
  finished: [],
  failed: [],
  done: false,
}

/** Returns the progress after another event of the run. Returns the same object if nothing changed. */
export function advanceProgress(progress: RunProgress, event: ProgressEvent | { type: string }): RunProgress {
  if (!isProgressEvent(event)) return progress
  if (event.type === "node_started") {
    const { node, iteration, file_path: path } = event
    const visits = { ...progress.visits, [node]: iteration }
    return { ...progress, visits, writing: path ? [...without(progress.writing, path), path] : progress.writing }
  }
  const { plan, task_plan, planned_files, status, file_path, failed, changed_files = [] } = updateOf(event)
  const ended = file_path ? stepEnded(progress, file_path, failed) : progress
  return {
    ...progress,
    ...ended,
    ...stepsAfter(progress, event),
    // Repairs also change files outside the plan.
    finished: [...ended.finished, ...changed_files.filter((path) => !ended.finished.includes(path))],
    plannedFiles: planned_files ?? plan?.files.length ?? progress.plannedFiles,
    steps: task_plan?.implementation_steps.map(({ file_path }) => file_path) ?? progress.steps,
    done: progress.done || status === "DONE",
  }
}

function stepEnded({ writing, finished, failed }: RunProgress, path: string, reason: string | undefined) {
  return {
    writing: without(writing, path),
    finished: reason === undefined ? [...without(finished, path), path] : finished,
    failed: reason === undefined ? failed : [...failed, { path, reason }],
  }
}

function without(paths: readonly string[], path: string): string[] {
  return paths.filter((other) => other !== path)
}

/** Returns the step counts after a node has finished. */
export function stepsAfter(before: Steps, event: FinishedNode): Steps {
  const { task_plan, current_step_idx, total_steps } = updateOf(event)
  return {
    stepsFinished: current_step_idx ?? before.stepsFinished,
    stepsTotal: total_steps ?? task_plan?.implementation_steps.length ?? before.stepsTotal,
  }
}

export type Steps = Pick<RunProgress, "stepsFinished" | "stepsTotal">

/**
 * Returns the coder's current step, numbered from 1. If several steps are in progress, returns the first. Null before
 * the first step and after the last.
 */
export function currentStep(progress: RunProgress): CurrentStep | null {
  const { stepsFinished, stepsTotal, steps, writing, finished, failed } = progress
  const total = stepsTotal ?? steps.length
  if (stepsFinished >= total) return null
  const ended = [...finished, ...failed.map(({ path }) => path)]
  return { number: stepsFinished + 1, total, path: writing[0] ?? steps.find((path) => !ended.includes(path)) }
}

export interface CurrentStep {
  number: number
  total: number
  path: string | undefined
}

/** Returns a node's update, or an empty object if the update was too large for its event. */
export function updateOf<T extends object>({ update }: { update: T }): Partial<Exclude<T, PayloadRef>> {
  return "sha256" in update ? {} : (update as Exclude<T, PayloadRef>)
}

type FinishedNode = Pick<Extract<ProgressEvent, { type: "node_finished" }>, "update">

function isProgressEvent(event: ProgressEvent | { type: string }): event is ProgressEvent {
  return event.type === "node_started" || event.type === "node_finished"
}
