import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError } from "../../../errors.ts"
import { parseModelName } from "../../../models/names.ts"
import { modelRules } from "../../../models/providers/providers.ts"
import { formatCount } from "../../../text/format.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { WorkflowState } from "../nodes/state.ts"
import { blockedSteps, nextWave, orderSteps, type Step } from "../plan/step-order.ts"
import { Plan } from "../schema.ts"
import { createVisits, type Project, sideBySide } from "./coder-visits.ts"

/**
 * Creates the coder node. Each visit of the node writes the files that can be written concurrently. Once all files are
 * written, visits check and repair the project. If a file fails, all files that don't depend on it are still written,
 * and the run fails at the end.
 */
export function createCoder(deps: NodeDeps) {
  const { context, journal } = deps
  const visits = createVisits(deps)

  return async (state: WorkflowState, config: RunnableConfig): Promise<Partial<WorkflowState>> => {
    const taskPlan = state.detailed_ins
    if (!taskPlan) throw new AppError("internal_error", "The architect didn't produce a task plan.")
    context.signal.throwIfAborted()
    const plan = Plan.safeParse(taskPlan.plan).data
    const steps = orderSteps(taskPlan.implementation_steps, plan)
    const project = { state, taskPlan, plan }
    const wave = nextWave(steps, journal.progress, deps.filesAtOnce())
    if (wave.length === 0) return finish(steps, project, config)
    await sideBySide(startWave(wave, (step, onAccepted) => visits.visit(step, project, config, onAccepted)))
    return {}
  }

  /**
   * Starts the visits of a wave. If the provider caches prompts, the other visits wait until the first visit's response
   * begins. Otherwise, every visit would pay the full price of the shared prefix.
   */
  function startWave(wave: Step[], visit: (step: Step, onAccepted?: () => void) => Promise<void>): Promise<void>[] {
    const [first, ...others] = wave
    const { provider, model } = parseModelName(context.model, "general")
    if (!first || modelRules[provider].cacheOf?.(model) === undefined) return wave.map((step) => visit(step))
    const warm = Promise.withResolvers<void>()
    const leading = visit(first, warm.resolve).finally(warm.resolve)
    return [leading, ...others.map(async (step) => warm.promise.then(() => visit(step)))]
  }

  /**
   * Checks and repairs the written project, and ends the run once nothing is left to do. Throws `workflow_error` with
   * the paths of files that couldn't be written.
   */
  async function finish(steps: Step[], project: Project, config: RunnableConfig): Promise<Partial<WorkflowState>> {
    const { failed, done } = journal.progress
    const blocked = blockedSteps(steps, journal.progress)
    if (failed.length + blocked.length > 0) throw incomplete(steps.length, failed, blocked)
    if (done) return { status: "DONE" }
    // Loaded only after the files are written, so that workers start faster.
    const { proveProject } = await import("./prove-project.ts")
    const mended = await proveProject(deps, visits, project, config)
    if (mended) return mended
    const update = { status: "DONE", current_step_idx: steps.length, total_steps: steps.length } as const
    await (await journal.startSpan("coder", config)).finish(update)
    return { status: "DONE" }
  }
}

function incomplete(
  total: number,
  failed: readonly { path: string; reason: string }[],
  blocked: { path: string; needs: string[] }[],
): AppError {
  const lines = [
    ...failed.map(({ path, reason }) => `${path}: ${reason}`),
    ...blocked.map(({ path, needs }) => `${path}: needs ${needs.join(", ")}.`),
  ]
  const count = `${lines.length} of ${formatCount(total, "file")} couldn't be written.`
  const paths = [...failed, ...blocked].map(({ path }) => path)
  return new AppError("workflow_error", [count, ...lines].join("\n"), { paths })
}
