import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError } from "../../../errors.ts"
import { generateObject } from "../../harness/generate-object.ts"
import { TaskPlanAnswer } from "../plan/answer-schema.ts"
import { parseTaskPlan } from "../plan/plan.ts"
import { filesSection } from "../plan/project-section.ts"
import { requestSection } from "../plan/quoted-text.ts"
import { composePrompt } from "../prompts/prompts.ts"
import type { Plan } from "../schema.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { WorkflowState } from "./state.ts"

/** Answer used for a plan that only deletes files. */
const NO_STEPS = JSON.stringify({ implementation_steps: [] })

/** Creates the architect node, which turns the plan into one task per file. */
export function createArchitect(deps: NodeDeps) {
  return async (state: WorkflowState, config: RunnableConfig): Promise<Partial<WorkflowState>> => {
    const { context, journal, earlierRequests } = deps
    if (journal.progress.taskPlan) return { detailed_ins: journal.progress.taskPlan }
    const { plan } = state
    if (!plan) throw new AppError("internal_error", "The planner didn't produce a plan.")
    context.beforeStep()

    const present = await filesSection(await deps.openFiles(), { ...deps, signal: context.signal })
    const planned = `The plan:\n${planText(plan)}`
    const sections = [requestSection(state.user_prompt), earlierRequests, present, planned]
    const span = await journal.startSpan("architect", config)
    const taskPlan = plan.files.every(({ action }) => action === "delete")
      ? parseTaskPlan(NO_STEPS, plan)
      : await generateObject(deps.harness(span), {
          system: composePrompt("architect", state),
          prompt: sections.filter((section) => section !== undefined).join("\n\n"),
          output: { name: "task_plan", schema: TaskPlanAnswer },
          parse: (answer) => parseTaskPlan(answer, plan),
        })
    await span.finish({ task_plan: taskPlan, total_steps: taskPlan.implementation_steps.length })
    return { detailed_ins: taskPlan }
  }
}

/** Returns the plan as JSON with one line per file, because whitespace costs tokens. */
function planText({ files, ...about }: Plan): string {
  const lines = files.map((file) => JSON.stringify(file))
  return `${JSON.stringify(about).slice(0, -1)},"files":[\n${lines.join(",\n")}\n]}`
}
