import { AppError, isAppError } from "../../../errors.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import { openSessionLog } from "../../../kernel/session-log.ts"
import { ModelError } from "../../../models/errors.ts"
import { classifyError } from "../../runs/classify-error.ts"
import { applyEdits, editsOf, shownWorkspace } from "../edits/apply-edits.ts"
import { claimsChange } from "../edits/claimed-change.ts"
import { type AnswerFlaws, summarizeEdits } from "../edits/edit-summary.ts"
import { noResult } from "../history/transcript.ts"
import { sortSelection } from "../prompt/selection.ts"
import { selectable } from "../rules.ts"
import type { TurnSummary, TurnUsage } from "../schema.ts"
import { shellCommandsIn } from "./shell-commands.ts"
import type { ChatDeps, Turn } from "./turn.ts"
import { turnCost } from "./turn-cost.ts"

const REFUSAL_HINT =
  "Rephrase the message, or use another model. This message is left out of later requests, so that it doesn't cause more refusals."

/** Applies the edits of a complete answer, and settles its turn. */
export async function settleTurn(deps: ChatDeps, turn: Turn): Promise<void> {
  const { context, journal } = turn
  const content = journal.answered?.content ?? ""
  journal.edits ??= await applyEdits(deps, turn)
  const session = await openSessionLog(deps, context.sid, context)
  const shown = await shownWorkspace(deps, session, turn)
  const flaws = flawsOf(journal, shown)
  const summary: TurnSummary = {
    ...noSummary(),
    ...summarizeEdits(journal.edits, flaws),
    ...selectionFaults(journal, shown, flaws),
    url_context: (journal.pages ?? []).flatMap(({ url, error }) => (error === null ? [url] : [])),
    shed_files: journal.answered?.shed_files ?? [],
    shell_commands: shellCommandsIn(content),
    finish_reason: journal.answered?.finish_reason ?? null,
    workspace_version: context.state().workspace.version,
  }
  // Once the edits are applied, settle the turn even if its run was asked to stop.
  await context.record([settled(turn, summary)])
  journal.settled = summary
}

/** Returns the selected files and the pages that couldn't be shown to the model. */
function selectionFaults(journal: Turn["journal"], shown: Workspace, flaws: AnswerFlaws) {
  const { binary, invalid } = sortSelection(shown, journal.asked.files)
  const named = [...invalid, ...binary]
  const unread = (journal.pages ?? []).flatMap(({ url, error }) =>
    error === null ? [] : [`Couldn't read ${url}. ${error}`],
  )
  const leftOut = named.length === 0 ? [] : [`Left out and deselected: ${named.join(", ")}.`]
  const notices = [...leftOut, ...unread, ...answerNotices(journal, flaws)]
  return { binary_files: binary, invalid_files: invalid, notice: notices.join(" ") || null }
}

/**
 * Returns the flaws of an answer that aren't visible in the results of its edits. For example, edit blocks that can't
 * be parsed have no results.
 */
function flawsOf(journal: Turn["journal"], shown: Workspace): AnswerFlaws {
  const { asked, answered } = journal
  const isRead = asked.mode === "edit" && !asked.commit
  const { edits, unreadable } = isRead ? editsOf(journal, shown) : { edits: [], unreadable: 0 }
  const isCut = answered?.finish_reason === "max_tokens"
  const hasNone = isRead && edits.length + unreadable === 0 && !isCut
  return { unreadable, isCut, isUnbacked: hasNone && claimsChange(answered?.content ?? "") }
}

/** Returns notices about a missing answer, or about edits that couldn't be parsed. */
function answerNotices({ answered, edits }: Turn["journal"], { unreadable, isUnbacked }: AnswerFlaws): string[] {
  if (answered?.finish_reason === "tool_calls" && answered.content.trim() === "") {
    return ["The model called a tool instead of answering, but the chat has no tools."]
  }
  if (answered?.content.trim() === "") return ["The model didn't answer."]
  if (isUnbacked) return ["No file was changed: the answer says that it changed files, but it contains no edits."]
  if (unreadable === 0) return []
  const form = "Each edit needs its file's path alone on a line, outside of code fences and thinking."
  if (edits?.length === 0) return [`No file was changed, because the answer's edits couldn't be parsed. ${form}`]
  const some = unreadable === 1 ? "One edit" : `${unreadable} edits`
  return [`${some} in the answer couldn't be parsed and changed nothing. ${form}`]
}

/** Settles a turn that was stopped or failed, with its partial answer. */
export async function settleFailed(turn: Turn, error: unknown): Promise<void> {
  const { context, journal, unfinished } = turn
  const answered = unfinished ?? journal.answered
  const summary: TurnSummary = {
    ...noSummary(),
    ...summarizeEdits(journal.edits ?? []),
    ...(isCancelled(turn, error) ? { notice: noticeOfStop(journal) } : failureOf(turn, error)),
    finish_reason: answered?.finish_reason ?? null,
    workspace_version: context.state().workspace.version,
  }
  // Append the buffered text. This write fails if the run was asked to stop, but the result must still be recorded.
  await context.write([]).catch(() => {})
  const end = settled(turn, summary)
  await context.record(unfinished ? [unfinished, end] : [end])
  journal.settled = summary
}

/**
 * Returns a notice if a turn was stopped after its answer was complete, but before its edits were applied. Null
 * otherwise.
 */
function noticeOfStop({ answered, edits }: Turn["journal"]): string | null {
  return answered && !edits ? "The turn was stopped before the answer's edits were applied." : null
}

/**
 * Returns the failure of a settled turn whose executor died before ending the run. Undefined if the turn didn't fail.
 */
export function failureBefore({ error, error_info }: TurnSummary): AppError | undefined {
  if (error === null) return undefined
  const { type, hint } = error_info ?? {}
  return new AppError("workflow_error", error, { ...(type && { error_type: type }), ...(hint && { hint }) })
}

function isCancelled({ context }: Turn, error: unknown): boolean {
  return isAppError(error, "run_cancelled") || isAppError(context.signal.reason, "run_cancelled")
}

function failureOf({ context }: Turn, error: unknown): Pick<TurnSummary, "error" | "error_info"> {
  const { error_type: type, message = "The turn failed.", ...classified } = classifyError(error)
  // The usual hint for a refusal is about workflows, so it doesn't apply here.
  const hint = isAppError(error, "workflow_error") ? REFUSAL_HINT : classified.hint
  const retryAfterMs = error instanceof ModelError ? error.retryAfterMs : undefined
  const retry_after = retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1000)
  return { error: message, error_info: { type, message, hint, retry_after, model: context.model } }
}

function settled(turn: Turn, summary: TurnSummary) {
  const { context, journal, unfinished } = turn
  const gone = new Set([...summary.binary_files, ...summary.invalid_files])
  const selected = context.state().chat.selected.filter((path) => !gone.has(path))
  const unseen = (unfinished ?? journal.answered)?.added_files ?? []
  const wanted = [...new Set([...unseen, ...summary.files_auto_added])]
  const files = selectable([...new Set([...selected, ...wanted])])
  const added = new Set(files)
  const files_auto_added = wanted.filter((path) => added.has(path))
  const usage = (unfinished ?? journal.answered)?.usage ?? noUsage
  const cost_usd = turnCost(usage, context.model)
  return {
    ...{ type: "chat_turn_settled" as const, ...turn.ids },
    ...{ summary: { ...summary, files_auto_added, cost_usd }, usage, cost_usd, files },
  }
}

const noUsage: TurnUsage = noResult.token_usage

function noSummary(): TurnSummary {
  const { response: _1, edit_results: _2, token_usage: _3, cancelled: _4, ...summary } = noResult
  return summary
}
