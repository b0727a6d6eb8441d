import { AppError, isAppError } from "../../../errors.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import type { Completion } from "../../../models/provider.ts"
import { withoutThinking } from "../../harness/answer-json.ts"
import { createConversation } from "../../harness/conversation.ts"
import { type NextMove, runLoop, type Turn } from "../../harness/loop.ts"
import { reportRejected } from "../../harness/report-rejected.ts"
import { runTools } from "../../harness/run-tools.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { NodeSpan } from "../nodes/node-journal.ts"
import { createDraft, type Draft } from "../plan/staging.ts"
import { firstMessage, presentContent, type StepTask } from "./coder-message.ts"
import { reminderFor, slipOf } from "./coder-reminders.ts"
import { createCoderTools } from "./coder-tools.ts"
import { onlyFencedText } from "./salvage.ts"

/** The most calls of the model in each attempt at one step, whatever the reason. */
const CALLS_OF_ATTEMPTS = [12, 6]

/** The most answers without a tool call in one attempt. */
const MAX_IDLE_ANSWERS = 2

type Step = StepTask & { key: string; system: string }

type Attempt = { isDone: true; leftAsIs: string | undefined } | { isDone: false; savedInstead: WorkspacePath[] }

/**
 * Has the model write one file, and commits everything that it wrote as soon as that file is among it, under the step's key:
 * no further call is spent on its last words. Where a conversation leads nowhere, a second one starts afresh. Resolves to the
 * reason for which the model left the file as it is, if it did; throws `workflow_error` if the file is not written.
 */
export async function runStep(deps: NodeDeps, span: NodeSpan, step: Step): Promise<{ leftAsIs: string | undefined }> {
  let savedInstead: WorkspacePath[] = []
  for (const maxCalls of CALLS_OF_ATTEMPTS) {
    const attempt = await attemptStep(deps, span, step, maxCalls)
    if (attempt.isDone) return attempt
    savedInstead = attempt.savedInstead
  }
  const instead = savedInstead.length > 0 ? ` It saved ${savedInstead.join(", ")} instead.` : ""
  const message = `The model did not write the file ${step.path}.${instead}`
  throw new AppError("workflow_error", message, { path: step.path })
}

/** One conversation about the step, on the newest files. A file that changed concurrently is sent to the model, which continues from there. */
async function attemptStep(deps: NodeDeps, span: NodeSpan, step: Step, maxCalls: number): Promise<Attempt> {
  const { context, openFiles } = deps
  const { signal } = context
  const files = await openFiles()
  const draft = createDraft(files)
  if (step.renamedFrom && draft.exists(step.renamedFrom)) draft.rename(step.renamedFrom, step.path)
  const tools = createCoderTools(
    draft,
    step.path,
    step.steps.map(({ file_path }) => file_path),
  )
  const harness = deps.harness(span)
  const repeatedTools = createRepeatDetector()
  const isSettled = () => draft.hasWritten(step.path) || draft.reasonToKeep(step.path) !== undefined
  let idleAnswers = 0
  let isGivenUp = false

  async function onTurn(answered: Turn): Promise<NextMove> {
    const { completion, usedTools, callsLeft } = answered
    const call = usedTools || draft.exists(step.path) ? undefined : salvagedCall(step.path, completion)
    if (call) await runTools(harness, tools, { toolCalls: [call], stopReason: completion.stopReason })
    if (isSettled()) {
      const dropped = await commit(deps, draft, step.key, callsLeft > 0)
      return dropped.length === 0 ? "end" : { say: await conflictMessage(draft, dropped, { signal }) }
    }
    if (!usedTools) idleAnswers++
    isGivenUp = idleAnswers === MAX_IDLE_ANSWERS
    const repeated = repeatedTools(completion)
    const slip = slipOf(answered, { repeated, path: step.path, savedInstead: draft.written() })
    if (slip !== undefined) await reportRejected(harness, slip)
    if (isGivenUp) return "end"
    const turn = {
      ...{ usedTools, callsLeft, wasCut: completion.stopReason === "max_tokens" },
      ...{ savedInstead: draft.written(), repeatedTools: repeated },
    }
    return reminderFor({ path: step.path, exists: draft.exists(step.path) }, turn) ?? "continue"
  }

  const first = await firstMessage(files, draft, step, { ...deps, signal })
  const conversation = createConversation(first)
  const isEnded = await runLoop(harness, { system: step.system, conversation, tools, maxCalls, onTurn })
  if (!isEnded || isGivenUp) return { isDone: false, savedInstead: draft.written() }
  return { isDone: true, leftAsIs: draft.hasWritten(step.path) ? undefined : draft.reasonToKeep(step.path) }
}

/** The call that a model meant which wrote a new file's text into its answer; of a file that exists, it may be a part. */
function salvagedCall(path: WorkspacePath, { text, stopReason }: Completion) {
  const content = stopReason === "end" ? onlyFencedText(withoutThinking(text)) : undefined
  if (content === undefined) return undefined
  const args = { path, content }
  return { id: "salvaged", name: "write_file", args, rawArguments: JSON.stringify(args) }
}

/** Names the tools that a completion calls with the same arguments as one before. */
function createRepeatDetector() {
  const seen = new Set<string>()
  return ({ toolCalls }: Completion): string[] => {
    const calls = toolCalls.map(({ name, rawArguments }) => ({ name, key: `${name} ${rawArguments}` }))
    const repeated = calls.filter(({ key }) => seen.has(key)).map(({ name }) => name)
    for (const { key } of calls) seen.add(key)
    return [...new Set(repeated)]
  }
}

/** Commits the draft, or rebases it: resolves to the files that it dropped because of concurrent changes. */
async function commit(deps: NodeDeps, draft: Draft, key: string, mayContinue: boolean): Promise<WorkspacePath[]> {
  try {
    await deps.context.commit(draft.changes(), key)
    return []
  } catch (error) {
    if (!isAppError(error, "workspace_conflict") || !mayContinue) throw error
    const dropped = draft.rebase(await deps.openFiles())
    if (dropped.length === 0) throw error
    return dropped
  }
}

async function conflictMessage(
  draft: Draft,
  paths: WorkspacePath[],
  options: { signal: AbortSignal },
): Promise<string> {
  const changed = paths.map(async (path) => `${path}: ${await presentContent(draft, path, options)}`)
  return [
    "While you worked, somebody else changed files that you wrote, so yours were not saved.",
    ...(await Promise.all(changed)),
    "Keep their changes where they fit your task, and save each of these files again with write_file, with its full content.",
  ].join("\n\n")
}
