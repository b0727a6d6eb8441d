import { AppError, isAppError } from "../../errors.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import type { Completion } from "../../models/provider.ts"
import { createConversation } from "../harness/conversation.ts"
import { type NextMove, runLoop, type Turn } from "../harness/loop.ts"
import { firstMessage, presentContent, type StepTask } from "./coder-message.ts"
import { createCoderTools } from "./coder-tools.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { NodeSpan } from "./node-journal.ts"
import { createDraft, type Draft } from "./staging.ts"

/** The most calls of the model within one step, whatever the reason. */
const MAX_CALLS = 12

/**
 * Has the model write one file, and commits everything that it wrote as soon as that file is among it, under the step's key:
 * no further call is spent on its last words. A file that changed concurrently is sent to the model, which continues from there. Throws `invalid_request` if the file is not written.
 */
export async function runStep(
  deps: NodeDeps,
  span: NodeSpan,
  step: StepTask & { key: string; system: string },
): Promise<void> {
  const { context, openFiles, fileTokens } = deps
  const { signal } = context
  const files = await openFiles()
  const draft = createDraft(files)
  let reminded = false

  async function onTurn({ completion, usedTools, callsLeft }: Turn): Promise<NextMove> {
    if (!draft.hasWritten(step.path)) {
      if (usedTools) return "continue"
      if (!reminded) {
        reminded = true
        return { say: reminder(step.path, completion) }
      }
      if (!draft.exists(step.path)) throw notWritten(step.path)
    }
    const dropped = await commit(deps, draft, step.key, callsLeft > 0)
    return dropped.length === 0 ? "end" : { say: await conflictMessage(draft, dropped, { signal }) }
  }

  const isWritten = await runLoop(deps.harness(span), {
    system: step.system,
    conversation: createConversation(await firstMessage(files, step, { fileTokens, signal })),
    tools: createCoderTools(draft),
    maxCalls: MAX_CALLS,
    onTurn,
  })
  if (!isWritten) throw notWritten(step.path)
}

function notWritten(path: WorkspacePath): AppError {
  return new AppError("invalid_request", `The model did not write the file ${path}.`, { path })
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

function reminder(path: WorkspacePath, { stopReason }: Completion): string {
  const cut = stopReason === "max_tokens" ? "Your answer was cut off at the output limit. " : ""
  return `${cut}The file ${path} has not been saved. Call write_file with this path and the full content of the file. If it exists already and must stay exactly as it is, say so in one sentence.`
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
