import { type EventOfType, inlined, type StudioEvent } from "./event.ts"
import { type RunView, reduceRun } from "./run.ts"

/** Agent ID of merge trains. */
export const TRAINS = "merges"

/** A merge train's outcome for one worktree. */
export interface TrainStepView {
  worktree: string
  status: string
  message: string
  commit: string | null
  /** Files with conflicts to resolve. */
  conflicts: readonly string[]
  /** Outcome of the check after the merge; null if there was none. */
  check: string | null
}

/** A session's latest merge train. */
export interface TrainView {
  run: RunView
  /** In merge order. */
  worktrees: readonly string[]
  checks: boolean
  /** Finished steps. */
  steps: readonly TrainStepView[]
}

/** Returns the latest train after one more event; the same object if the event doesn't affect it. */
export function reduceTrain(train: TrainView | null, event: StudioEvent): TrainView | null {
  if (event.type === "run_created") return event.agent_id === TRAINS ? begun(event) : train
  if (!train || event.run_id !== train.run.runId) return train
  if (event.type === "merge_train_step_finished") return { ...train, steps: [...train.steps, stepOf(event)] }
  const run = reduceRun(train.run, event)
  return run && run !== train.run ? { ...train, run } : train
}

function begun(event: EventOfType<"run_created">): TrainView | null {
  const run = reduceRun(null, event)
  const input = inlined(event.input)
  if (!run || !input || !("worktrees" in input)) return null
  return { run, worktrees: input.worktrees, checks: input.checks ?? false, steps: [] }
}

function stepOf(event: EventOfType<"merge_train_step_finished">): TrainStepView {
  const { worktree, status, message, commit = null, conflicts = [], verdict } = event
  return { worktree, status, message, commit, conflicts, check: verdict?.status ?? null }
}
