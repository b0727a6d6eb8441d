import type { EventOf, SessionEvent } from "@switchyard/core/events"
import { PayloadRef } from "@switchyard/core/log/event"
import type { NodeUpdate } from "@switchyard/core/work/workflow/schema"

/** How far a run is, as far as its events have told. */
export interface Progress {
  node: string | null
  completed: number
  /** Null until the architect has said it. */
  total: number | null
  /** The path of each step; unknown steps have none. */
  paths: (string | undefined)[]
  /** What the model has written in this visit of its node. */
  characters: number
}

export const noProgress: Progress = { node: null, completed: 0, total: null, paths: [], characters: 0 }

export function advance(progress: Progress, event: SessionEvent): Progress {
  switch (event.type) {
    case "node_started":
      return { ...progress, node: event.node, characters: 0 }
    case "model_text":
      return { ...progress, characters: progress.characters + event.text.length }
    case "tool_call_started":
      return event.tool === "write" && event.path ? withPath(progress, event.path) : progress
    case "run_claimed":
    case "run_parked":
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return { ...progress, node: null }
    case "node_finished":
      return { ...afterUpdate(progress, updateOf(event)), node: null }
    default:
      return progress
  }
}

/** Such as `file 3/7  src/store.ts`; nothing while no file is being written. */
export function fileText({ node, completed, total, paths }: Progress): string | undefined {
  if (node !== "coder" || total === null || completed >= total) return undefined
  return [`file ${completed + 1}/${total}`, paths[completed]].filter(Boolean).join("  ")
}

/** What a node brought, unless it was too large to stand in its event. */
export function updateOf(event: Pick<EventOf<"node_finished">, "update">): NodeUpdate {
  return PayloadRef.safeParse(event.update).success ? {} : (event.update as NodeUpdate)
}

function afterUpdate(progress: Progress, update: NodeUpdate): Progress {
  const paths = update.task_plan?.implementation_steps.map((step) => step.file_path) ?? progress.paths
  return {
    ...progress,
    paths,
    total: update.total_steps ?? update.task_plan?.implementation_steps.length ?? progress.total,
    completed: update.current_step_idx ?? progress.completed,
  }
}

// The path of a step is known before only if the architect's steps were; a write tells it late, but surely.
function withPath(progress: Progress, path: string): Progress {
  if (progress.paths[progress.completed]) return progress
  const paths = [...progress.paths]
  paths[progress.completed] = path
  return { ...progress, paths }
}
