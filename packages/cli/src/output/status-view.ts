import type { SessionEvent } from "@switchyard/core/events"
import { advanceProgress, currentStep, noProgress, type RunProgress } from "@switchyard/core/work/runs/progress"
import { endsRun } from "@switchyard/core/work/runs/schema"

export interface StatusView {
  progress: RunProgress
  node: string | null
  /** Path of the file that the current step writes. Only set if the plan was too large for the log. */
  written: string | null
  /** Number of characters that the model and its file edits have produced since the current node started. */
  characters: number
}

export const emptyStatus: StatusView = { progress: noProgress, node: null, written: null, characters: 0 }

export function reduceStatus(view: StatusView, event: SessionEvent): StatusView {
  const progress = advanceProgress(view.progress, event)
  if (endsRun(event)) return { ...view, node: null }
  switch (event.type) {
    case "node_started":
      return { ...view, progress, node: event.node, characters: 0 }
    case "node_finished":
      return { ...view, progress, node: progress.writing.length > 0 ? view.node : null, written: null }
    case "model_text":
    case "file_text":
    case "file_edit_text":
      return { ...view, characters: view.characters + event.text.length }
    case "tool_call_started":
      return event.tool === "write" && event.path ? { ...view, written: view.written ?? event.path } : view
    case "run_claimed":
    case "run_parked":
      return { ...view, node: null }
    default:
      return view
  }
}

/** Returns text such as `file 3/7  src/store.ts`. Undefined if no file is being written. */
export function fileText({ progress, node, written }: StatusView): string | undefined {
  const step = currentStep(progress)
  if (node !== "coder" || !step) return undefined
  const others = progress.writing.length > 1 ? [`and ${progress.writing.length - 1} more`] : []
  return [`file ${step.number}/${step.total}`, step.path ?? written, ...others].filter(Boolean).join("  ")
}
