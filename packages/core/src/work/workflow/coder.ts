import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError, isAppError } from "../../errors.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { formatCount } from "../../format.ts"
import { ModelError } from "../../models/errors.ts"
import { runOf } from "../runs/state.ts"
import { runStep } from "./coder-step.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { NodeSpan } from "./node-journal.ts"
import { modelPath } from "./plan.ts"
import { EXECUTION_MODE } from "./prompt-layers.ts"
import { composePrompt } from "./prompts.ts"
import { Plan, type TaskPlan } from "./schema.ts"
import type { WorkflowState } from "./state.ts"
import { blockedSteps, nextWave, orderSteps, type Step } from "./step-order.ts"

/**
 * Writes the files that can be written side by side, and visits itself until there is none left; the last visit calls no
 * model. A file that the model doesn't get written doesn't keep it from those that don't need it; the run fails at the end.
 */
export function createCoder(deps: NodeDeps) {
  const { context, journal } = deps

  return async (state: WorkflowState, config: RunnableConfig): Promise<Partial<WorkflowState>> => {
    const taskPlan = state.detailed_ins
    if (!taskPlan) throw new AppError("internal_error", "The coder has no task plan.")
    context.signal.throwIfAborted()
    const plan = Plan.safeParse(taskPlan.plan).data
    const steps = orderSteps(taskPlan.implementation_steps, plan)
    const wave = nextWave(steps, journal.progress, deps.filesAtOnce())
    if (wave.length === 0) return finish(steps, config)
    const visits = wave.map((step) => visit(step, { state, taskPlan, plan }, config))
    for (const outcome of await Promise.allSettled(visits)) if (outcome.status === "rejected") throw outcome.reason
    return {}
  }

  async function visit(
    step: Step,
    of: { state: WorkflowState; taskPlan: TaskPlan; plan: Plan | undefined },
    config: RunnableConfig,
  ): Promise<void> {
    const path = step.file_path
    const key = `coder:${step.index}:${path}`
    const isDone = () => runOf(context.state(), context.runId)?.doneSteps.includes(key) === true
    if (!isDone()) context.beforeStep()
    const span = await journal.startSpan("coder", config, path)
    // If an earlier executor committed the step and did no more, only its events are missing.
    const outcome = isDone() ? {} : await outcomeOf(() => work(span, key, step, of))
    const finished = journal.progress.finished.length + (outcome.failed === undefined ? 1 : 0)
    const total = of.taskPlan.implementation_steps.length
    await span.finish({ file_path: path, ...outcome, current_step_idx: finished, total_steps: total })
  }

  async function work(
    span: NodeSpan,
    key: string,
    step: Step,
    { state, taskPlan, plan }: { state: WorkflowState; taskPlan: TaskPlan; plan: Plan | undefined },
  ): Promise<Outcome> {
    const path = modelPath(step.file_path)
    const action = step.file?.action
    if (action === "delete") return deleteFile(key, path)
    const { leftAsIs } = await runStep(deps, span, {
      ...{ key, path, plan, renamedFrom: action === "rename" ? modelPath(step.file?.path ?? path) : undefined },
      description: step.task_description,
      request: state.user_prompt,
      steps: taskPlan.implementation_steps,
      written: journal.progress.finished,
      system: composePrompt("coder", state, EXECUTION_MODE),
    })
    return leftAsIs === undefined ? {} : { left_as_is: leftAsIs }
  }

  /** Deletes a file as it was planned; one that somebody else deleted meanwhile is gone as well. */
  async function deleteFile(key: string, path: WorkspacePath): Promise<Outcome> {
    const isThere = (await deps.openFiles()).stat(path)?.type === "file"
    await context.commit(isThere ? [{ op: "delete", path }] : [], key)
    return {}
  }

  async function finish(steps: Step[], config: RunnableConfig): Promise<Partial<WorkflowState>> {
    const { failed, done } = journal.progress
    const blocked = blockedSteps(steps, journal.progress)
    if (failed.length + blocked.length > 0) throw incomplete(steps.length, failed, blocked)
    const update = { status: "DONE", current_step_idx: steps.length, total_steps: steps.length } as const
    if (!done) await (await journal.startSpan("coder", config)).finish(update)
    return { status: "DONE" }
  }
}

/** The part of a visit's update that says how it went. */
interface Outcome {
  left_as_is?: string
  failed?: string
}

/** The outcome of a step, or the reason for which it failed where that doesn't concern the others. */
async function outcomeOf(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    const isOfStep =
      isAppError(error, "workflow_error") ||
      isAppError(error, "workspace_conflict") ||
      (error instanceof ModelError && error.errorType === "context_limit")
    if (!isOfStep) throw error
    return { failed: (error as Error).message }
  }
}

function incomplete(
  total: number,
  failed: readonly { path: string; reason: string }[],
  blocked: { path: string; needs: string[] }[],
): AppError {
  const lines = [
    ...failed.map(({ path, reason }) => `${path}: ${reason}`),
    ...blocked.map(({ path, needs }) => `${path}: It needs ${needs.join(", ")}.`),
  ]
  const count = `${lines.length} of ${formatCount(total, "file")} could not be written.`
  const paths = [...failed, ...blocked].map(({ path }) => path)
  return new AppError("workflow_error", [count, ...lines].join("\n"), { paths })
}
