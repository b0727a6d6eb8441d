import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError, isAppError } from "../../../errors.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { UserMessage } from "../../../models/provider.ts"
import { PlanAnswer } from "../plan/answer-schema.ts"
import type { Shares } from "../plan/fit-files.ts"
import { parsePlan } from "../plan/plan.ts"
import { filesSection, fitsWhole } from "../plan/project-section.ts"
import { filesOf, requestSection } from "../plan/quoted-text.ts"
import { rankOnce } from "../plan/rank-files.ts"
import { composePrompt } from "../prompts/prompts.ts"
import type { Plan } from "../schema.ts"
import { askWithFiles } from "./ask-with-files.ts"
import { lookAround } from "./look-around.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { NodeSpan } from "./node-journal.ts"
import type { WorkflowState } from "./state.ts"

/**
 * Number of graph steps other than those for files: one each for the planner and the architect, and one because the
 * coder takes one step more than there are files.
 */
const STEPS_WITHOUT_FILES = 3

/** Number of files that the planner's prompt suggests by default. The maximum is mentioned only if it is lower. */
const USUAL_FILES = 12

/** Creates the planner node, which turns the request into a plan. */
export function createPlanner(deps: NodeDeps) {
  return async (state: WorkflowState, config: RunnableConfig): Promise<Partial<WorkflowState>> => {
    const { context, journal, openFiles } = deps
    const files = await openFiles()
    const { version, manifest } = files.at
    const base = { version, manifest }
    if (journal.progress.plan) return { plan: journal.progress.plan, base }
    context.beforeStep()

    const span = await journal.startSpan("planner", config)
    const maxFiles = context.input.recursion_limit - STEPS_WITHOUT_FILES
    checkRequest(state.user_prompt, maxFiles)
    const plan = await makePlan(deps, span, state, { files, maxFiles })
    await span.finish({ plan, planned_files: plan.files.length })
    return { plan, base }
  }
}

/** Asks the model for a plan. If the prompt doesn't show the whole project, the model may look at files first. */
async function makePlan(
  deps: NodeDeps,
  span: NodeSpan,
  state: WorkflowState,
  { files, maxFiles }: { files: Workspace; maxFiles: number },
): Promise<Plan> {
  const { context, earlierRequests } = deps
  const { user_prompt: request, images, elements } = state
  const planned = filesOf(elements)
  const system = composePrompt("planner", state, deps.environment)
  const rankFiles = rankOnce(deps.rankFiles)
  const room =
    maxFiles < USUAL_FILES
      ? `This run has room for ${maxFiles === 1 ? "one file" : `at most ${maxFiles} files`}.`
      : undefined
  const prompt = async (shares: Shares, seen?: string): Promise<UserMessage> => {
    const present = await filesSection(files, {
      ...deps,
      ...shares,
      rankFiles,
      request,
      planned,
      signal: context.signal,
    })
    const sections = [earlierRequests, present, seen, room, requestSection(request, { images, elements })]
    return { role: "user", content: sections.filter((section) => section !== undefined).join("\n\n"), images }
  }
  const parse = (answer: string) => parsePlan(answer, { maxFiles, files })
  const looked = fitsWhole(files, deps.fileTokens) ? undefined : await lookAround(deps, span, { system, prompt, files })
  const plan = looked?.answer === undefined ? undefined : parsedOrNothing(looked.answer, parse)
  if (plan) return plan
  return askWithFiles(deps, span, {
    system,
    prompt: (shares) => prompt(shares, looked?.seen(shares)),
    output: { name: "plan", schema: PlanAnswer },
    parse,
  })
}

/** Parses an answer whose form wasn't constrained to the schema. Returns undefined if the answer can't be used. */
function parsedOrNothing<T>(answer: string, parse: (answer: string) => T): T | undefined {
  try {
    return parse(answer)
  } catch (error) {
    if (!isAppError(error, "invalid_request")) throw error
    return undefined
  }
}

function checkRequest(prompt: string, maxFiles: number): void {
  if (prompt.trim() === "") throw new AppError("invalid_request", "The prompt is empty.")
  if (maxFiles >= 1) return
  throw new AppError("invalid_request", "recursion_limit is too low to write a single file: it must be at least 4.")
}
