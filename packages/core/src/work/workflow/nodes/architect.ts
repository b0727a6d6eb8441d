import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError } from "../../../errors.ts"
import type { UserMessage } from "../../../models/provider.ts"
import { TaskPlanAnswer } from "../plan/answer-schema.ts"
import type { Shares } from "../plan/fit-files.ts"
import { parseTaskPlan } from "../plan/plan.ts"
import { filesSection } from "../plan/project-section.ts"
import { requestSection } from "../plan/quoted-text.ts"
import { rankOnce } from "../plan/rank-files.ts"
import { composePrompt } from "../prompts/prompts.ts"
import type { Plan } from "../schema.ts"
import { askWithFiles } from "./ask-with-files.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { WorkflowState } from "./state.ts"

/** The architect's answer for a plan that only deletes files. */
const NO_STEPS = JSON.stringify({ implementation_steps: [] })

/** Creates the architect node, which turns the plan into one task per file. */
export function createArchitect(deps: NodeDeps) {
  return async (state: WorkflowState, config: RunnableConfig): Promise<Partial<WorkflowState>> => {
    const { context, journal, earlierRequests } = deps
    if (journal.progress.taskPlan) return { detailed_ins: journal.progress.taskPlan }
    const { plan } = state
    if (!plan) throw new AppError("internal_error", "The planner didn't produce a plan.")
    context.beforeStep()

    const files = await deps.openFiles()
    const { user_prompt: request, images, elements } = state
    const planned = plan.files.map(({ path }) => path)
    const rankFiles = rankOnce(deps.rankFiles)
    const prompt = async (shares: Shares): Promise<UserMessage> => {
      const shown = { ...deps, ...shares, rankFiles, request, planned, signal: context.signal }
      const present = await filesSection(files, shown)
      const sections = [
        requestSection(request, { images, elements }),
        earlierRequests,
        present,
        `The plan:\n${planText(plan)}`,
      ]
      return { role: "user", content: sections.filter((section) => section !== undefined).join("\n\n"), images }
    }
    const span = await journal.startSpan("architect", config)
    const taskPlan = plan.files.every(({ action }) => action === "delete")
      ? parseTaskPlan(NO_STEPS, plan)
      : await askWithFiles(deps, span, {
          system: composePrompt("architect", state, deps.environment),
          prompt,
          output: { name: "task_plan", schema: TaskPlanAnswer },
          parse: (answer) => parseTaskPlan(answer, plan),
        })
    await span.finish({ task_plan: taskPlan, total_steps: taskPlan.implementation_steps.length })
    return { detailed_ins: taskPlan }
  }
}

/** Returns the plan as JSON with one line per file, because more whitespace would cost tokens. */
function planText({ files, ...about }: Plan): string {
  const lines = files.map((file) => JSON.stringify(file))
  return `${JSON.stringify(about).slice(0, -1)},"files":[\n${lines.join(",\n")}\n]}`
}
