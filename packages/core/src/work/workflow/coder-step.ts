import { AppError, isAppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import type { Completion, Message, ToolCall } from "../../models/provider.ts"
import { firstMessage, presentContent, type StepTask } from "./coder-message.ts"
import { coderTools, runTool, type ToolOutcome, toolAnswer, toolSummary } from "./coder-tools.ts"
import { answerOf, callModel } from "./model-call.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { Visit } from "./node-journal.ts"
import { createDraft, type Draft } from "./staging.ts"

/** How often the model is asked within one step, whatever the reason. */
const MAX_CALLS = 12

/**
 * Has the model write one file, and commits all that it wrote at once, under the step's key. A file that somebody else
 * changed meanwhile is shown to the model, which goes on from there. Throws `invalid_request` if the file is not written.
 */
export async function runStep(
  deps: NodeDeps,
  visit: Visit,
  step: StepTask & { key: string; system: string },
): Promise<void> {
  const { context, openFiles } = deps
  const { signal } = context
  const draft = createDraft(await openFiles())
  const messages: Message[] = [{ role: "user", content: await firstMessage(draft, step, { signal }) }]
  let reminded = false

  for (let calls = 1; calls <= MAX_CALLS; calls++) {
    const completion = await callModel(deps, visit, { system: step.system, messages: [...messages], tools: coderTools })
    messages.push(answerOf(completion))
    const ended = completion.toolCalls.length === 0
    if (!ended) messages.push(...(await useTools(deps, visit, draft, completion)))
    // Who still uses tools in the end has had time enough: what is saved by then counts.
    if (!ended && calls < MAX_CALLS) continue
    if (!draft.wrote(step.path) && !reminded) {
      reminded = true
      messages.push({ role: "user", content: reminder(step.path, completion) })
      continue
    }
    const mayStay = ended && draft.exists(step.path)
    if (!draft.wrote(step.path) && !mayStay) break
    const dropped = await commit(deps, draft, step.key, calls < MAX_CALLS)
    if (dropped.length === 0) return
    messages.push({ role: "user", content: await conflictMessage(draft, dropped, { signal }) })
  }
  throw new AppError("invalid_request", `The model did not write the file ${step.path}.`, { path: step.path })
}

/** What the draft had to drop because of somebody else; nothing if it was committed. */
async function commit(deps: NodeDeps, draft: Draft, key: string, mayGoOn: boolean): Promise<WorkspacePath[]> {
  try {
    await deps.context.commit(draft.changes(), key)
    return []
  } catch (error) {
    if (!isAppError(error, "workspace_conflict") || !mayGoOn) throw error
    const dropped = draft.moveTo(await deps.openFiles())
    if (dropped.length === 0) throw error
    return dropped
  }
}

/** Answers all calls of one turn, in their order, and tells the log of them. */
async function useTools(
  deps: NodeDeps,
  visit: Visit,
  draft: Draft,
  { toolCalls, stopReason }: Completion,
): Promise<Message[]> {
  const messages: Message[] = []
  const events: NewEvent[] = []
  for (const call of toolCalls) {
    const startedAt = deps.clock.monotonic()
    const outcome = await runTool(draft, call, { signal: deps.context.signal })
    const durationMs = Math.round(deps.clock.monotonic() - startedAt)
    events.push(...toolEvents(deps.newId("tc"), visit, call, outcome, durationMs))
    const isError = outcome.type === "failed"
    const cut = isError && stopReason === "max_tokens" ? " The answer was cut off at the output limit." : ""
    messages.push({
      role: "tool",
      toolCallId: call.id,
      content: toolAnswer(outcome) + cut,
      ...(isError && { isError }),
    })
  }
  await visit.write(events)
  return messages
}

function toolEvents(id: string, visit: Visit, call: ToolCall, outcome: ToolOutcome, durationMs: number): NewEvent[] {
  const about = { ...visit.speaker, tool_call_id: id }
  const file = outcome.type === "written" ? { file_bytes: outcome.sizeBytes, sha256: outcome.sha256 } : {}
  const path = outcome.type === "listing" ? undefined : outcome.path
  return [
    { type: "tool_call_started", ...about, tool: kindOf(call.name), ...(path !== undefined && { path }), ...file },
    {
      type: "tool_call_finished",
      ...about,
      exit_code: outcome.type === "failed" ? 1 : 0,
      duration_ms: durationMs,
      llm_summary: toolSummary(outcome),
    },
  ]
}

function kindOf(tool: string) {
  if (tool === "write_file") return "write"
  if (tool === "read_file") return "read"
  return tool === "list_files" ? "glob" : "other"
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
