import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError, isAppError } from "../../errors.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { formatCount } from "../../format.ts"
import { ModelError } from "../../models/errors.ts"
import type { Finding } from "../checks/finding.ts"
import type { Verdict } from "../gate/schema.ts"
import { describeCheck } from "../gate/verdict.ts"
import { runOf } from "../runs/state.ts"
import { runStep } from "./coder-step.ts"
import { type FailedCheck, failedCheckTask, locateFailure } from "./failed-check.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { NodeSpan } from "./node-journal.ts"
import { modelPath } from "./plan.ts"
import { checkFiles } from "./project-check.ts"
import { EXECUTION_MODE } from "./prompt-layers.ts"
import { composePrompt } from "./prompts.ts"
import { Plan, type ReviewFinding, type TaskPlan } from "./schema.ts"
import type { WorkflowState } from "./state.ts"
import { blockedSteps, nextWave, orderSteps, type Step } from "./step-order.ts"

/** Rounds in which the faults of the whole project are mended, before each check. */
const MAX_MENDINGS = 2
/** Rounds in which what running the project showed is mended. */
const MAX_ROUNDS = 3
const NAMED_FAULTS = 10
const REVIEW_STEP = "review"

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
    const project = { state, taskPlan, plan }
    const wave = nextWave(steps, journal.progress, deps.filesAtOnce())
    if (wave.length === 0) return finish(steps, project, config)
    await sideBySide(wave.map((step) => visit(step, project, config)))
    return {}
  }

  async function visit(step: Step, project: Project, config: RunnableConfig): Promise<void> {
    const path = step.file_path
    const key = `coder:${step.index}:${path}`
    if (!isDone(key)) context.beforeStep()
    const span = await journal.startSpan("coder", config, path)
    // If an earlier executor committed the step and did no more, only its events are missing.
    const outcome = isDone(key) ? {} : await outcomeOf(() => work(span, key, step, project))
    const finished = journal.progress.finished.length + (outcome.failed === undefined ? 1 : 0)
    const total = project.taskPlan.implementation_steps.length
    await span.finish({ file_path: path, ...outcome, current_step_idx: finished, total_steps: total })
  }

  function isDone(key: string): boolean {
    return runOf(context.state(), context.runId)?.doneSteps.includes(key) === true
  }

  async function work(span: NodeSpan, key: string, step: Step, project: Project): Promise<Outcome> {
    const path = modelPath(step.file_path)
    const action = step.file?.action
    if (action === "delete") return deleteFile(key, path)
    const renamedFrom = action === "rename" ? modelPath(step.file?.path ?? path) : undefined
    const task = { key, path, renamedFrom, description: step.task_description }
    const { leftAsIs } = await runStep(deps, span, { ...task, ...partOf(project) })
    return leftAsIs === undefined ? {} : { left_as_is: leftAsIs }
  }

  /** Everything about a step that it has in common with all others. */
  function partOf({ state, taskPlan, plan }: Project) {
    return {
      plan,
      request: state.user_prompt,
      steps: taskPlan.implementation_steps,
      written: journal.progress.finished,
      system: composePrompt("coder", state, EXECUTION_MODE),
    }
  }

  /** Deletes a file as it was planned; one that somebody else deleted meanwhile is gone as well. */
  async function deleteFile(key: string, path: WorkspacePath): Promise<Outcome> {
    const isThere = (await deps.openFiles()).stat(path)?.type === "file"
    await context.commit(isThere ? [{ op: "delete", path }] : [], key)
    return {}
  }

  /** Has the faults of the project mended, and then what running it shows, and ends the run when nothing is left. */
  async function finish(steps: Step[], project: Project, config: RunnableConfig): Promise<Partial<WorkflowState>> {
    const { failed, done } = journal.progress
    const blocked = blockedSteps(steps, journal.progress)
    if (failed.length + blocked.length > 0) throw incomplete(steps.length, failed, blocked)
    const { mendings = 0, rounds = 0 } = project.state
    if (!done) {
      const faults = (await deps.gate.isAsked(rounds + 1)) ? [] : await checkFiles(deps, project.state.base)
      if (faults.length > 0 && mendings >= mostMendings(project.state)) throw faulty(faults)
      if (faults.length > 0) {
        await mend(faults, `mend:${rounds * 2 * MAX_MENDINGS + mendings + 1}`, project, config)
        return { mendings: mendings + 1 }
      }
      const missing = deps.review && !project.state.reviewed ? await review(steps.length, project, config) : []
      if (missing.length > 0) {
        await mend(missing, REVIEW_STEP, project, config)
        return { reviewed: true }
      }
      const failure = await checkByRunning(rounds)
      if (failure) {
        await mendFailure(failure, `check:${rounds + 1}`, project, config)
        return { rounds: rounds + 1, mendings: 0 }
      }
    }
    const update = { status: "DONE", current_step_idx: steps.length, total_steps: steps.length } as const
    if (!done) await (await journal.startSpan("coder", config)).finish(update)
    return { status: "DONE" }
  }

  /** What the request asks for and the files don't do: found once, whoever executes the run. */
  async function review(total: number, { state }: Project, config: RunnableConfig): Promise<ReviewFinding[]> {
    if (journal.progress.review) return journal.progress.review
    context.beforeStep()
    const { reviewFiles } = await import("./review.ts")
    const span = await journal.startSpan("coder", config)
    const findings = await reviewFiles(deps, span, state.user_prompt)
    await span.finish({ review: findings, current_step_idx: total, total_steps: total })
    return findings
  }

  /** Runs what was built, and resolves to what is to be mended. Throws when it was mended often enough. */
  async function checkByRunning(rounds: number): Promise<FailedCheck | undefined> {
    const { verdict, output } = await deps.gate.show(rounds + 1)
    context.conclude(verdict)
    if (verdict.status !== "failed") return undefined
    const failure = rounds === MAX_ROUNDS ? undefined : await locateFailure(deps, verdict, output)
    if (!failure) throw unproven(verdict)
    return failure
  }

  async function mend(found: ToMend[], step: string, project: Project, config: RunnableConfig): Promise<void> {
    const paths = [...new Set(found.map(({ path }) => path))]
    const visits = paths.map((path) => () => {
      const own = found.filter((one) => one.path === path)
      const task = { key: `${step}:${path}`, path, description: mendingTask(own, step), count: own.length }
      return visitToMend(task, project, config)
    })
    // A rate limit may lower the number in the middle of a wave.
    while (visits.length > 0) await sideBySide(visits.splice(0, deps.filesAtOnce()).map((visit) => visit()))
  }

  function mendFailure(failure: FailedCheck, step: string, project: Project, config: RunnableConfig): Promise<void> {
    const { path } = failure
    const task = { key: `${step}:${path}`, path, description: failedCheckTask(failure), count: 1 }
    return visitToMend(task, project, config)
  }

  async function visitToMend(
    { key, path, description, count }: { key: string; path: string; description: string; count: number },
    project: Project,
    config: RunnableConfig,
  ): Promise<void> {
    if (isDone(key)) return
    context.beforeStep()
    const span = await journal.startSpan("coder", config, path)
    const task = { key, path: modelPath(path), renamedFrom: undefined, description }
    await outcomeOf(() => runStep(deps, span, { ...task, ...partOf(project) }).then(() => ({})))
    const total = project.taskPlan.implementation_steps.length
    await span.finish({ file_path: path, mended_faults: count, current_step_idx: total, total_steps: total })
  }
}

/** What a file is given back for: a fault, or something that is missing. */
type ToMend = Pick<Finding, "path" | "message">

/** What a review adds may need rounds of its own. */
function mostMendings({ reviewed, rounds = 0 }: WorkflowState): number {
  return reviewed && rounds === 0 ? 2 * MAX_MENDINGS : MAX_MENDINGS
}

/** The project that the steps are parts of. */
interface Project {
  state: WorkflowState
  taskPlan: TaskPlan
  plan: Plan | undefined
}

/** Waits for all, even where one fails. */
async function sideBySide(visits: Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(visits)) if (outcome.status === "rejected") throw outcome.reason
}

function mendingTask(faults: ToMend[], step: string): string {
  const lines = faults.slice(0, NAMED_FAULTS).map(({ message }) => `- ${message}`)
  const found =
    step === REVIEW_STEP
      ? "A review found what the request asks for and the file doesn't do: add it, unless it is there, and change nothing else."
      : "A check of the whole project found faults in it: mend these, and change nothing else."
  return [`The file is written. ${found}`, ...lines].join("\n")
}

function faulty(faults: Finding[]): AppError {
  const lines = faults.slice(0, NAMED_FAULTS).map(({ path, message }) => `${path}: ${message}`)
  const count = `All files are written, but ${formatCount(faults.length, "fault")} in them could not be mended.`
  return new AppError("workflow_error", [count, ...lines].join("\n"), {
    paths: [...new Set(faults.map(({ path }) => path))],
  })
}

function unproven(verdict: Verdict): AppError {
  const failed = verdict.checks.filter(({ passed }) => !passed).map(describeCheck)
  return new AppError(
    "workflow_error",
    ["All files are written, but what was built doesn't work.", ...failed].join("\n"),
  )
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
