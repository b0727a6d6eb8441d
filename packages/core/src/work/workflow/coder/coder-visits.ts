import type { RunnableConfig } from "@langchain/core/runnables"
import { isAppError } from "../../../errors.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { ModelError } from "../../../models/errors.ts"
import { withShorterPrompts } from "../../harness/prompt-size.ts"
import { runOf } from "../../runs/state.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { NodeSpan } from "../nodes/node-journal.ts"
import type { WorkflowState } from "../nodes/state.ts"
import { modelPath } from "../plan/plan.ts"
import type { Step } from "../plan/step-order.ts"
import { EXECUTION_MODE } from "../prompts/prompt-layers.ts"
import { composePrompt } from "../prompts/prompts.ts"
import type { Plan, TaskPlan } from "../schema.ts"
import type { RepairTask } from "./coder-message.ts"
import { runStep } from "./coder-step.ts"
import { type Repaired, runRepair } from "./repair.ts"

/** Project to which the steps belong. */
export interface Project {
  state: WorkflowState
  taskPlan: TaskPlan
  plan: Plan | undefined
}

/** A failure for the coder to repair. Its step key prevents it from being repaired twice. */
export type Failure = RepairTask & { key: string }

/** Visits of the coder. A visit that an earlier executor has finished isn't repeated. */
export type CoderVisits = ReturnType<typeof createVisits>

export function createVisits(deps: NodeDeps) {
  const { context, journal } = deps
  let presentPaths: Promise<string[]> | undefined

  /**
   * Writes a planned file. Doesn't throw if the model fails to write the file. Calls `onAccepted` when the model begins
   * to answer.
   */
  async function visit(step: Step, project: Project, config: RunnableConfig, onAccepted?: () => void): Promise<void> {
    const path = step.file_path
    const key = `coder:${step.index}:${path}`
    if (!isDone(key)) context.beforeStep()
    const span = await journal.startSpan("coder", config, path)
    // If an earlier executor committed the step and then died, only the step's events remain to be written.
    const outcome = isDone(key) ? {} : await outcomeOf(() => work({ span, onAccepted }, key, step, project))
    const finished = journal.progress.finished.length + (outcome.failed === undefined ? 1 : 0)
    const total = project.taskPlan.implementation_steps.length
    await span.finish({ file_path: path, ...outcome, current_step_idx: finished, total_steps: total })
  }

  function isDone(key: string): boolean {
    return runOf(context.state(), context.runId)?.doneSteps.includes(key) === true
  }

  async function work(
    { span, onAccepted }: { span: NodeSpan; onAccepted: (() => void) | undefined },
    key: string,
    step: Step,
    project: Project,
  ): Promise<Outcome> {
    const path = modelPath(step.file_path)
    const action = step.file?.action
    if (action === "delete") return deleteFile(key, path)
    const harness = (of: NodeSpan) => ({ ...deps.harness(of), onAccepted })
    const renamedFrom = action === "rename" ? modelPath(step.file?.path ?? path) : undefined
    const task = { key, path, renamedFrom, description: step.task_description }
    const whole = { ...task, ...(await contextOf(project)) }
    const { leftAsIs } = await runStep({ ...deps, harness }, span, whole)
    return leftAsIs === undefined ? {} : { left_as_is: leftAsIs }
  }

  /** Returns the context shared by all steps. */
  async function contextOf({ state, taskPlan, plan }: Project) {
    presentPaths ??= pathsBefore(state)
    return {
      plan,
      presentPaths: await presentPaths,
      request: state.user_prompt,
      images: state.images,
      elements: state.elements,
      earlierRequests: deps.earlierRequests,
      steps: taskPlan.implementation_steps,
      written: journal.progress.finished,
      system: composePrompt("coder", state, `${EXECUTION_MODE}\n\n${deps.environment}`),
    }
  }

  async function pathsBefore({ base }: WorkflowState): Promise<string[]> {
    const { manifest } = await deps.openFiles(base)
    return manifest.files.map(({ path }) => path)
  }

  /** Deletes a file as planned, unless the file is already gone. */
  async function deleteFile(key: string, path: WorkspacePath): Promise<Outcome> {
    const isThere = (await deps.openFiles()).stat(path)?.type === "file"
    await context.commit(isThere ? [{ op: "delete", path }] : [], key)
    return {}
  }

  /** Repairs a failure. Returns the reason if the model changed nothing. */
  async function repair({ key, ...task }: Failure, project: Project, config: RunnableConfig) {
    if (isDone(key)) return undefined
    context.beforeStep()
    const path = task.atFault.length === 1 ? task.atFault[0] : undefined
    const span = await journal.startSpan("coder", config, path)
    let repaired: Repaired = { changed: [], changedTests: [], reason: undefined }
    const { failed } = await outcomeOf(async () => {
      const whole = { key, ...task, ...(await contextOf(project)) }
      repaired = await withShorterPrompts(deps.harness(span), () => runRepair(deps, span, whole))
      return {}
    })
    const { changed, changedTests, reason: given } = repaired
    const reason = failed ?? given
    const total = project.taskPlan.implementation_steps.length
    const update = { file_path: path, changed_files: changed, not_repaired: reason }
    const tests = changedTests.length > 0 && { changed_tests: changedTests }
    await span.finish({ ...update, ...tests, current_step_idx: total, total_steps: total })
    return reason
  }

  return { visit, repair, contextOf }
}

/** Waits for all visits, even if one of them fails. Then rethrows the first error. */
export async function sideBySide(visits: Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(visits)) if (outcome.status === "rejected") throw outcome.reason
}

/** Result fields in a visit's update. */
interface Outcome {
  left_as_is?: string
  failed?: string
}

/** Returns the outcome of a step. If the step failed without affecting other steps, returns the reason. */
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
