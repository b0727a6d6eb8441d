import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError } from "../../../errors.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import { generateObject } from "../../harness/generate-object.ts"
import { PlanAnswer } from "../plan/answer-schema.ts"
import { parsePlan } from "../plan/plan.ts"
import { filesSection } from "../plan/project-section.ts"
import { requestSection } from "../plan/quoted-text.ts"
import { composePrompt } from "../prompts/prompts.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { WorkflowState } from "./state.ts"

/**
 * Number of graph steps that aren't for files: one each for the planner and the architect, and one because the coder
 * takes one more step than there are files.
 */
const STEPS_WITHOUT_FILES = 3

/** Number of files that the planner's own prompt suggests anyway. Only a lower maximum needs to be mentioned. */
const USUAL_FILES = 12

/** Creates the planner node, which turns the request into a plan. */
export function createPlanner(deps: NodeDeps) {
  return async (state: WorkflowState, config: RunnableConfig): Promise<Partial<WorkflowState>> => {
    const { context, journal, openFiles } = deps
    const { version, manifest } = context.state().workspace
    const base = { version, manifest }
    if (journal.progress.plan) return { plan: journal.progress.plan, base }
    context.beforeStep()

    const span = await journal.startSpan("planner", config)
    const maxFiles = context.input.recursion_limit - STEPS_WITHOUT_FILES
    checkRequest(state.user_prompt, maxFiles)
    const files = await openFiles()
    const plan = await generateObject(deps.harness(span), {
      system: composePrompt("planner", state),
      prompt: await userMessage(deps, state.user_prompt, maxFiles, files),
      output: { name: "plan", schema: PlanAnswer },
      parse: (answer) => parsePlan(answer, { maxFiles, files }),
    })
    await span.finish({ plan, planned_files: plan.files.length })
    return { plan, base }
  }
}

function checkRequest(prompt: string, maxFiles: number): void {
  if (prompt.trim() === "") throw new AppError("invalid_request", "The prompt is empty.")
  if (maxFiles >= 1) return
  throw new AppError("invalid_request", "recursion_limit is too low to write a single file: it must be at least 4.")
}

async function userMessage(deps: NodeDeps, prompt: string, maxFiles: number, files: Workspace): Promise<string> {
  const { context, earlierRequests } = deps
  const sections = [
    earlierRequests,
    await filesSection(files, { ...deps, signal: context.signal }),
    maxFiles < USUAL_FILES
      ? `This run has room for ${maxFiles === 1 ? "one file" : `at most ${maxFiles} files`}.`
      : undefined,
    requestSection(prompt),
  ]
  return sections.filter((section) => section !== undefined).join("\n\n")
}
