import { runEvent } from "../../kernel/define-event.ts"
import { TrainStep } from "./schema.ts"

export const trainEvents = [
  runEvent(
    "merge_train_step_finished",
    "A worktree of a merge train was merged, or stopped the train.",
    TrainStep.shape,
  ),
] as const
