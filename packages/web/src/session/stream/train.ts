import { type EventOfType, inlined, type StudioEvent } from "./event.ts"
import { type RunView, reduceRun } from "./run.ts"

/** The agent of merge trains, as the product calls it. */
export const TRAINS = "merges"

/** The outcome for one worktree of a merge train. */
export interface TrainStepView {
  worktree: string
  status: string
  message: string
  commit: string | null
  /** The files to be resolved. */
  conflicts: readonly string[]
  /** The outcome of the check after it; null where none was made. */
  check: string | null
}

/** The newest merge train of a session. */
export interface TrainView {
  run: RunView
  /** In the order in which they are merged. */
  worktrees: readonly string[]
  checks: boolean
  /** Those that are done. */
  steps: readonly TrainStepView[]
}

/** The newest train after one more event; the same object if the event doesn't concern it. */
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
