import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { createConversation } from "../../harness/conversation.ts"
import { type NextMove, runLoop, type Turn } from "../../harness/loop.ts"
import { inWords, reportRejected } from "../../harness/report-rejected.ts"
import { isTest, isTestSetting } from "../../verification/test-files.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { NodeSpan } from "../nodes/node-journal.ts"
import { withFittingFiles } from "../plan/fit-files.ts"
import { createDraft } from "../plan/staging.ts"
import type { ChangedTestReason } from "../schema.ts"
import { type ProjectContext, type RepairTask, repairMessage } from "./coder-message.ts"
import { repairReminder, untouchedReminder } from "./coder-reminders.ts"
import { commit, conflictMessage, createFaultCounter, createRepeatDetector } from "./coder-step.ts"
import { createCoderTools } from "./coder-tools.ts"

/** Maximum number of model calls in a repair, not counting an additional call for each file with reported errors. */
const MAX_CALLS = 18
/** Maximum number of answers that contain neither a tool call nor a change. */
const MAX_IDLE_ANSWERS = 2
const MAX_REASON_CHARS = 300

export type Repair = ProjectContext & RepairTask & { key: string; system: string }

/** Outcome of a repair. */
export interface Repaired {
  changed: WorkspacePath[]
  /** Tests changed by the model, each with the model's reason. */
  changedTests: ChangedTestReason[]
  /** Reason why nothing was changed. Undefined if something was changed. */
  reason: string | undefined
}

/**
 * Has the model repair a failure in one conversation about the newest files. Commits all of the model's changes with
 * the repair's key. The conversation ends when the model gives up or stops after a change, or when all files known to
 * be at fault have been written.
 */
export async function runRepair(deps: NodeDeps, span: NodeSpan, repair: Repair): Promise<Repaired> {
  const { context, openFiles } = deps
  const { signal } = context
  const files = await openFiles()
  const draft = createDraft(files)
  const reasons = new Map<WorkspacePath, string>()
  let gaveUp: string | undefined
  const rules = {
    isProtected: (path: WorkspacePath) =>
      (isTest(path) || isTestSetting(path)) && files.stat(path) !== undefined && !repair.atFault.includes(path),
    onReason: (path: WorkspacePath, reason: string) => reasons.set(path, reason),
    onGivingUp: (reason: string) => {
      gaveUp = reason
    },
  }
  const planned = repair.steps.map(({ file_path }) => file_path)
  const tools = createCoderTools(draft, { repair: rules }, planned)
  const harness = deps.harness(span)
  const repeatedTools = createRepeatDetector()
  const faults = createFaultCounter()
  const { atFault, reported = [] } = repair
  const isSettled = () => atFault.length > 0 && atFault.every(draft.hasWritten)
  let changed: WorkspacePath[] = []
  let idleAnswers = 0
  let isReminded = false
  let lastWords = ""

  async function onTurn({ completion, usedTools, callsLeft, refusals }: Turn): Promise<NextMove> {
    const wasCut = completion.stopReason === "max_tokens"
    const isLast = (!usedTools && !wasCut) || callsLeft === 0 || gaveUp !== undefined || isSettled()
    const untouched = reported.filter((path) => !draft.changed().includes(path))
    const mayRemind = !usedTools && callsLeft > 0 && gaveUp === undefined && !isReminded
    if (mayRemind && draft.changed().length > 0 && untouched.length > 0) {
      isReminded = true
      return { say: untouchedReminder(untouched) }
    }
    if (isLast && draft.changed().length > 0) {
      changed = draft.changed()
      const dropped = await commit(deps, draft, repair.key, callsLeft > 0)
      return dropped.length === 0 ? "end" : { say: await conflictMessage(draft, dropped, { signal }) }
    }
    if (gaveUp !== undefined || isSettled()) return "end"
    if (!usedTools) lastWords = completion.text.trim()
    if (refusals.length > 0) await reportRejected(harness, refusals.join("\n"))
    faults.add({ completion, refusals })
    if ((!usedTools && ++idleAnswers === MAX_IDLE_ANSWERS) || faults.isHopeless()) return "end"
    const turn = { usedTools, refusals, wasCut, callsLeft, repeatedTools: repeatedTools(completion) }
    return repairReminder(turn) ?? "continue"
  }

  const first = await withFittingFiles(harness, { system: repair.system, tools }, deps.fileTokens, (shares) =>
    repairMessage(files, repair, { ...deps, ...shares, signal }),
  )
  const conversation = createConversation(first)
  await runLoop(harness, { system: repair.system, conversation, tools, maxCalls: MAX_CALLS + reported.length, onTurn })
  const changedTests = [...reasons].flatMap(([path, reason]) => (changed.includes(path) ? [{ path, reason }] : []))
  const words = gaveUp ?? (inWords(lastWords).split("\n")[0]?.slice(0, MAX_REASON_CHARS) || NO_WORDS)
  return { changed, changedTests, reason: changed.length > 0 ? undefined : words }
}

const NO_WORDS = "The model didn't change anything."
