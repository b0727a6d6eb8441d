import { isAppError } from "../../../errors.ts"
import { openSessionLog } from "../../../kernel/session-log.ts"
import { type Completion, noUsage } from "../../../models/provider.ts"
import { callModel, RefusalError } from "../../harness/call-model.ts"
import { createHarness, type HarnessContext } from "../../harness/context.ts"
import { withCalledEdits } from "../edits/called-edits.ts"
import { shownFiles } from "../files/shown-files.ts"
import { type PathEvent, readPath } from "../history/model-history.ts"
import { readPages } from "../pages/read-pages.ts"
import { assemblePrompt } from "../prompt/assemble.ts"
import { isUnanswered } from "../side-call.ts"
import { continueWithFiles } from "./add-edited-files.ts"
import { answered, type Shown } from "./answered.ts"
import type { ChatDeps, Turn } from "./turn.ts"

/**
 * Calls the model. Logs its answer as it arrives, and again once it is complete. If the call is stopped or fails, keeps
 * the partial answer in the turn and rethrows the error.
 */
export async function ask(deps: ChatDeps, turn: Turn): Promise<void> {
  const { context, journal } = turn
  // Check the budget before the turn uses any of it.
  await context.requireBudget()
  let shown: Shown = { shown: shownFiles(context.state()), droppedFiles: [], estimatedTokens: 0 }
  let text = ""
  const harness = turnHarness(deps, turn, {
    onText: (piece) => {
      text += piece
    },
    onRestart: () => {
      text = ""
    },
  })
  let completion: Completion
  let hasAdded = false
  try {
    const path = await readTurnPath(deps, turn)
    await readPages(deps, turn, path)
    const prompt = await assemblePrompt(deps, turn, path)
    shown = prompt
    const { system, messages, cacheAfter } = prompt
    const asked = { system, messages, cacheAfter }
    completion = whole(journal.added) ?? withCalledEdits(harness, await callModel(harness, asked))
    const continued = await continueWithFiles(deps, turn, prompt, completion)
    if (continued) {
      text = ""
      hasAdded = true
      context.emitText({}, "\n\n")
      // If the model fails now, the turn still has the first answer.
      const second = await callModel(harness, continued).catch((error) => {
        if (isUnanswered(error) && !context.signal.aborted) return undefined
        throw error
      })
      hasAdded = second !== undefined
      completion = second ? withCalledEdits(harness, second) : completion
    }
  } catch (error) {
    // Don't record usage, because the model wasn't called.
    if (isAppError(error, "budget_reached")) throw error
    const cancelled = isAppError(error, "run_cancelled") || isAppError(context.signal.reason, "run_cancelled")
    const finish_reason = cancelled ? "cancelled" : error instanceof RefusalError ? "refusal" : "error"
    const usage = error instanceof RefusalError ? error.completion.usage : undefined
    turn.unfinished = answered(turn, { text, shown, finish_reason, cancelled, hasAdded, ...(usage && { usage }) })
    throw error
  }
  const event = answered(turn, {
    ...completion,
    shown,
    finish_reason: completion.stopReason,
    cancelled: false,
    hasAdded,
  })
  // Append the buffered text. This write fails if the run was asked to stop, but the answer must still be recorded.
  await context.write([]).catch(() => {})
  await context.record([event])
  turn.journal.answered = { ...event, event_id: "", seq: context.state().head, ts: "" }
}

/**
 * Returns the first answer of a turn that was continued after more files were added. Undefined if the turn wasn't
 * continued.
 */
function whole(added: Turn["journal"]["added"]): Completion | undefined {
  return added ? { text: added.content, toolCalls: [], usage: noUsage, stopReason: "end" } : undefined
}

/** Reads the part of the conversation before this turn that is shown to the model. */
async function readTurnPath(deps: ChatDeps, { context, journal }: Turn): Promise<PathEvent[]> {
  const { signal, sid } = context
  const { chat_id: chatId, seq: beforeSeq } = journal.asked
  return readPath(deps, await openSessionLog(deps, sid, { signal }), { chatId, beforeSeq, signal })
}

function turnHarness(
  deps: ChatDeps,
  { context, journal }: Turn,
  { onText, onRestart }: { onText(piece: string): void; onRestart(): void },
): HarnessContext {
  let hasBegun = false
  return {
    ...createHarness(deps, context, { modelName: context.model, cacheKey: journal.asked.chat_id }),
    emitText(piece) {
      context.emitText({}, piece)
      onText(piece)
      // Show the first word immediately, and send later words in batches.
      if (!hasBegun) context.write([]).catch(() => {})
      hasBegun = true
    },
    emitReasoning: (chars) => context.emitReasoning({}, chars),
    async write(events) {
      if (events.some(({ type }) => type === "model_retried")) onRestart()
      await context.write(events)
    },
  }
}
