import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError } from "../../errors.ts"
import type { Workspace } from "../../files/workspaces/files.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { generateObject } from "../harness/generate-object.ts"
import type { NodeDeps } from "./node-deps.ts"
import { parsePlan } from "./plan.ts"
import { composePrompt } from "./prompts.ts"
import { requestSection } from "./quoted-text.ts"
import { Plan } from "./schema.ts"
import { obstacleAt } from "./staging.ts"
import type { WorkflowState } from "./state.ts"

/** Of the graph's steps, the planner takes one, the architect one, and the coder one more than there are files. */
const STEPS_WITHOUT_FILES = 3

/** The number of files that the planner's own layer allows it anyway. */
const USUAL_FILES = 7

const LISTED_FILES = 300

/** From the request to the plan. */
export function createPlanner(deps: NodeDeps) {
  return async (state: WorkflowState, config: RunnableConfig): Promise<Partial<WorkflowState>> => {
    const { context, journal, openFiles } = deps
    if (journal.progress.plan) return { plan: journal.progress.plan }
    context.beforeStep()

    const span = await journal.startSpan("planner", config)
    const maxFiles = context.input.recursion_limit - STEPS_WITHOUT_FILES
    checkRequest(state.user_prompt, maxFiles)
    const files = await openFiles()
    const limits = { maxFiles, obstacle: (path: WorkspacePath) => obstacleAt(files, path) }
    const plan = await generateObject(deps.harness(span), {
      system: composePrompt("planner", state),
      prompt: userMessage(state.user_prompt, maxFiles, files),
      output: { name: "plan", schema: Plan },
      parse: (answer) => parsePlan(answer, limits),
    })
    await span.finish({ plan, planned_files: plan.files.length })
    return { plan }
  }
}

function checkRequest(prompt: string, maxFiles: number): void {
  if (prompt.trim() === "") throw new AppError("invalid_request", "The prompt is empty.")
  if (maxFiles >= 1) return
  throw new AppError("invalid_request", "recursion_limit leaves no room for a single file: it must be at least 4.")
}

function userMessage(prompt: string, maxFiles: number, { manifest }: Workspace): string {
  const listed = manifest.files.slice(0, LISTED_FILES).map(({ path }) => `- ${path}`)
  const more = manifest.files.length - listed.length
  const existing = [
    "The project has these files already:",
    ...listed,
    ...(more > 0 ? [`- and ${more} more that are not listed`] : []),
  ]
  const sections = [
    listed.length > 0 ? existing.join("\n") : "",
    maxFiles < USUAL_FILES ? `This run has room for ${maxFiles === 1 ? "one file" : `at most ${maxFiles} files`}.` : "",
    requestSection(prompt),
  ]
  return sections.filter((section) => section !== "").join("\n\n")
}
