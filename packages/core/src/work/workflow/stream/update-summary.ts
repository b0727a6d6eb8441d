import type { NodeName, NodeUpdate } from "../schema.ts"

export interface UpdateSummary {
  node: NodeName
  kind: "update"
  keys: string[]
  text: string
  status?: string
  file_path?: string
  left_as_is?: string
  current_step_idx?: number
  total_steps?: number
  planned_files?: number
  completed_steps?: number
  active_step?: number
}

/** Summarises a node's update as fields and as part of a sentence. */
export function summarizeUpdate(node: NodeName, update: NodeUpdate): UpdateSummary {
  const { plan, task_plan, review, ...typed } = update
  const total = update.total_steps ?? task_plan?.implementation_steps.length
  const planned = update.planned_files ?? plan?.files.length
  const progress = stepsDone(update.current_step_idx, total)
  const keys = Object.keys(update).sort()
  return {
    node,
    kind: "update",
    keys,
    text: textOf(update, total, planned, progress, keys),
    ...typed,
    ...(total !== undefined && { total_steps: total }),
    ...(planned !== undefined && { planned_files: planned }),
    ...progress,
  }
}

interface StepProgress {
  completed_steps: number
  active_step: number
}

function stepsDone(index: number | undefined, total: number | undefined): StepProgress | undefined {
  if (index === undefined || total === undefined) return undefined
  const completed = Math.min(Math.max(index, 0), total)
  return { completed_steps: completed, active_step: Math.min(completed + 1, total) }
}

function textOf(
  update: NodeUpdate,
  total: number | undefined,
  planned: number | undefined,
  progress: StepProgress | undefined,
  keys: string[],
): string {
  if (update.status) return update.status
  if (progress) return `file ${progress.active_step}/${total} (${progress.completed_steps} completed)`
  if (total !== undefined) return `${total} files`
  if (planned !== undefined) return `${planned} files planned`
  if (update.current_step_idx !== undefined) return `step ${update.current_step_idx}`
  return keys.slice(0, 4).join(", ")
}
