import { runEvent } from "../../kernel/define-event.ts"
import { TrainStep } from "./schema.ts"

export const trainEvents = [
  runEvent(
    "merge_train_step_finished",
    "A worktree in the merge queue was merged, or stopped the queue.",
    TrainStep.shape,
  ),
] as const
