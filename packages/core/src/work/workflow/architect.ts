import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError } from "../../errors.ts"
import { askFor } from "../harness/ask-for.ts"
import type { NodeDeps } from "./node-deps.ts"
import { parseTaskPlan, TaskPlanAnswer } from "./plan.ts"
import { composePrompt } from "./prompts.ts"
import type { WorkflowState } from "./state.ts"

/** From the plan to one task for each of its files. */
export function createArchitect(deps: NodeDeps) {
  return async (state: WorkflowState, config: RunnableConfig): Promise<Partial<WorkflowState>> => {
    const { context, journal } = deps
    if (journal.progress.taskPlan) return { detailed_ins: journal.progress.taskPlan }
    const { plan } = state
    if (!plan) throw new AppError("internal_error", "The architect has no plan.")
    context.beforeStep()

    const visit = await journal.begin("architect", config)
    const taskPlan = await askFor(deps.harness(visit), {
      system: composePrompt("architect", state),
      prompt: `The plan:\n${JSON.stringify(plan, null, 2)}`,
      output: { name: "task_plan", schema: TaskPlanAnswer },
      parse: (answer) => parseTaskPlan(answer, plan),
    })
    await visit.finish({ task_plan: taskPlan, total_steps: taskPlan.implementation_steps.length })
    return { detailed_ins: taskPlan }
  }
}
