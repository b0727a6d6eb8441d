import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError } from "../../errors.ts"
import { runOf } from "../runs/state.ts"
import { runStep } from "./coder-step.ts"
import type { NodeDeps } from "./node-deps.ts"
import { modelPath } from "./plan.ts"
import { EXECUTION_MODE } from "./prompt-layers.ts"
import { composePrompt } from "./prompts.ts"
import { Plan } from "./schema.ts"
import type { WorkflowState } from "./state.ts"

/** Writes one file per visit, and visits itself until there is none left; the last visit calls no model. */
export function createCoder(deps: NodeDeps) {
  return async (state: WorkflowState, config: RunnableConfig): Promise<Partial<WorkflowState>> => {
    const { context, journal } = deps
    const taskPlan = state.detailed_ins
    if (!taskPlan) throw new AppError("internal_error", "The coder has no task plan.")
    const steps = taskPlan.implementation_steps
    const index = state.coder_state?.current_step_idx ?? 0
    const step = steps[index]
    context.signal.throwIfAborted()

    if (!step) {
      const done = { status: "DONE", current_step_idx: steps.length, total_steps: steps.length } as const
      if (!journal.progress.done) await (await journal.startSpan("coder", config)).finish(done)
      return { status: "DONE" }
    }
    const next = { coder_state: { current_step_idx: index + 1 } }
    if (journal.progress.stepsFinished > index) return next

    const key = `coder:${index}:${step.file_path}`
    const isDone = () => runOf(context.state(), context.runId)?.doneSteps.includes(key) === true
    if (!isDone()) context.beforeStep()
    const span = await journal.startSpan("coder", config)
    // If an earlier executor committed the step and did no more, only its events are missing.
    const { leftAsIs } = isDone()
      ? {}
      : await runStep(deps, span, {
          key,
          path: modelPath(step.file_path),
          description: step.task_description,
          request: state.user_prompt,
          plan: Plan.safeParse(taskPlan.plan).data,
          steps,
          system: composePrompt("coder", state, EXECUTION_MODE),
        })
    const update = { file_path: step.file_path, current_step_idx: index + 1, total_steps: steps.length }
    await span.finish({ ...update, ...(leftAsIs && { left_as_is: leftAsIs }) })
    return next
  }
}
