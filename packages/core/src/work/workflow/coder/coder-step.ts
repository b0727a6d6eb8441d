import { AppError, isAppError } from "../../../errors.ts"
import { withoutThoughts } from "../../../files/edits/prose.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import type { Completion, ToolCall } from "../../../models/provider.ts"
import { isProse } from "../../checks/text/answer-text.ts"
import { withoutOuterFence } from "../../checks/text/outer-fence.ts"
import { createConversation, MAX_SAME_REFUSALS } from "../../harness/conversation.ts"
import { type NextMove, runLoop, type Turn } from "../../harness/loop.ts"
import { withShorterPrompts } from "../../harness/prompt-size.ts"
import { inWords, reportRejected } from "../../harness/report-rejected.ts"
import type { Tool } from "../../harness/tools.ts"
import { writtenCalls } from "../../harness/written-calls.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { NodeSpan } from "../nodes/node-journal.ts"
import { withFittingFiles } from "../plan/fit-files.ts"
import { modelPathIfValid } from "../plan/plan.ts"
import { createDraft, type Draft } from "../plan/staging.ts"
import { firstMessage, presentContent, type StepTask } from "./coder-message.ts"
import { noProgressReason, reminderFor } from "./coder-reminders.ts"
import { createCoderTools } from "./coder-tools.ts"
import { onlyFencedText, withSalvage } from "./salvage.ts"

/** Maximum number of model calls in each attempt at a step. */
const CALLS_OF_ATTEMPTS = [12, 6]

const MAX_REASON_CHARS = 200

/** Maximum number of answers without a tool call in one attempt. */
const MAX_IDLE_ANSWERS = 2

type Step = StepTask & { key: string; system: string }

type Attempt = { isDone: true; leftAsIs: string | undefined } | { isDone: false; reason: string | undefined }

/**
 * Has the model write one file. Once that file is saved, commits all of the model's changes with the step's key,
 * without calling the model again for a closing message. If a conversation fails, starts a second conversation. Returns
 * the model's reason if the model left the file unchanged. Throws `workflow_error` if the file isn't written.
 */
export async function runStep(deps: NodeDeps, span: NodeSpan, step: Step): Promise<{ leftAsIs: string | undefined }> {
  const faults = createFaultCounter()
  let reason: string | undefined
  for (const maxCalls of CALLS_OF_ATTEMPTS) {
    if (faults.isHopeless()) break
    const attempt = await withShorterPrompts(deps.harness(span), () =>
      attemptStep(deps, span, step, { maxCalls, faults }),
    )
    if (attempt.isDone) return attempt
    reason = attempt.reason
  }
  const message = [`The model didn't write the file ${step.path}.`, ...(reason ? [reason] : [])].join(" ")
  throw new AppError("workflow_error", message, { path: step.path })
}

/**
 * Runs one conversation about the step, based on the newest files. If another writer changes a file meanwhile, the
 * model receives that change and continues.
 */
async function attemptStep(
  deps: NodeDeps,
  span: NodeSpan,
  step: Step,
  { maxCalls, faults }: { maxCalls: number; faults: FaultCounter },
): Promise<Attempt> {
  const { context, openFiles } = deps
  const { signal } = context
  const files = await openFiles()
  const draft = createDraft(files)
  if (step.renamedFrom && draft.exists(step.renamedFrom)) draft.rename(step.renamedFrom, step.path)
  const tools = createCoderTools(
    draft,
    { file: step.path },
    step.steps.map(({ file_path }) => file_path),
  )
  const harness = deps.harness(span)
  const repeatedTools = createRepeatDetector()
  const isSettled = () => draft.hasWritten(step.path) || draft.reasonToKeep(step.path) !== undefined
  let idleAnswers = 0
  let isGivenUp = false
  let lastSlip: string | undefined

  async function onTurn(turned: Turn): Promise<NextMove> {
    const written = turned.usedTools ? [] : salvagedCalls(draft, step.path, turned.completion, tools)
    const answered = await withSalvage(harness, tools, turned, written)
    const { completion, usedTools, callsLeft } = answered
    if (isSettled()) {
      const dropped = await commit(deps, draft, step.key, callsLeft > 0)
      return dropped.length === 0 ? "end" : { say: await conflictMessage(draft, dropped, { signal }) }
    }
    if (!usedTools) idleAnswers++
    faults.add(answered)
    isGivenUp = idleAnswers === MAX_IDLE_ANSWERS || faults.isHopeless()
    const repeated = repeatedTools(completion)
    const slip = noProgressReason(answered, { repeated, path: step.path, savedInstead: draft.written() })
    lastSlip = slip
    if (slip !== undefined) await reportRejected(harness, slip)
    if (isGivenUp) return "end"
    const turn = {
      ...{ refusals: answered.refusals, usedTools, callsLeft, wasCut: completion.stopReason === "max_tokens" },
      ...{ savedInstead: draft.written(), repeatedTools: repeated },
    }
    return reminderFor({ path: step.path, exists: draft.exists(step.path) }, turn) ?? "continue"
  }

  const first = await withFittingFiles(harness, { system: step.system, tools }, deps.fileTokens, (shares) =>
    firstMessage(files, draft, step, { ...deps, ...shares, signal }),
  )
  const conversation = createConversation(first)
  const isEnded = await runLoop(harness, { system: step.system, conversation, tools, maxCalls, onTurn })
  if (!isEnded || isGivenUp) return { isDone: false, reason: failureReason(draft.written(), lastSlip) }
  return { isDone: true, leftAsIs: draft.hasWritten(step.path) ? undefined : draft.reasonToKeep(step.path) }
}

/** Returns the first line of the reason why a file wasn't written, for people. */
function failureReason(savedInstead: WorkspacePath[], slip: string | undefined): string | undefined {
  if (savedInstead.length > 0) return `It saved ${savedInstead.join(", ")} instead.`
  return slip && `Its last answer couldn't be used: ${inWords(slip).split("\n")[0]?.slice(0, MAX_REASON_CHARS)}`
}

/**
 * Returns the write that an answer without calls implies. The only fenced text in the answer must be the file, or a
 * call that writes the file. If the file already exists, the text must be a call, because any other fenced text may be
 * only a part of the file.
 */
function salvagedCalls(draft: Draft, path: WorkspacePath, { text, stopReason }: Completion, tools: Tool[]): ToolCall[] {
  const answer = withoutThoughts(text)
  const unfenced = isProse(path) ? withoutOuterFence(path, answer) : answer
  const content = unfenced === answer ? onlyFencedText(answer) : unfenced
  if (stopReason !== "end" || content === undefined) return []
  const calls = writtenCalls(content, tools)?.calls
  const implied = calls?.filter(({ args }) => "path" in args && modelPathIfValid(String(args.path)) === path)
  const write = { name: "write_file", args: { path, content } }
  return (implied ?? (draft.exists(path) ? [] : [write])).map((call, index) => {
    return { id: `salvaged_${index}`, ...call, rawArguments: JSON.stringify(call.args) }
  })
}

export type FaultCounter = ReturnType<typeof createFaultCounter>

/**
 * Creates a counter of consecutive identical refusals. Refusals are identical if they have the same reason, for calls
 * of the same tools with the same files.
 */
export function createFaultCounter() {
  let last = ""
  let count = 0
  return {
    add({ completion, refusals }: Pick<Turn, "completion" | "refusals">): void {
      const calls = completion.toolCalls.map(({ name, args }) => [name, Object(args).path])
      const fault = refusals.length === 0 ? "" : JSON.stringify([refusals, calls])
      count = fault === last ? count + 1 : 1
      last = fault
    },
    isHopeless: () => last !== "" && count >= MAX_SAME_REFUSALS,
  }
}

/** Creates a function that returns the names of tools that a completion calls again with the same arguments. */
export function createRepeatDetector() {
  const seen = new Set<string>()
  return ({ toolCalls }: Completion): string[] => {
    const calls = toolCalls.map(({ name, rawArguments }) => ({ name, key: `${name} ${rawArguments}` }))
    const repeated = calls.filter(({ key }) => seen.has(key)).map(({ name }) => name)
    for (const { key } of calls) seen.add(key)
    return [...new Set(repeated)]
  }
}

/**
 * Commits the draft. After a conflict, rebases the draft and returns the files dropped from the draft because another
 * writer changed them. Rethrows the conflict if `mayContinue` is false or no file was dropped.
 */
export async function commit(
  deps: NodeDeps,
  draft: Draft,
  key: string,
  mayContinue: boolean,
): Promise<WorkspacePath[]> {
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

export async function conflictMessage(
  draft: Draft,
  paths: WorkspacePath[],
  options: { signal: AbortSignal },
): Promise<string> {
  const changed = paths.map(async (path) => `${path}: ${await presentContent(draft, path, options)}`)
  return [
    "While you worked, these files of yours were changed elsewhere, so your versions were not saved.",
    ...(await Promise.all(changed)),
    "Keep these changes if they fit your task, and save each file again with write_file, with its full content.",
  ].join("\n\n")
}
