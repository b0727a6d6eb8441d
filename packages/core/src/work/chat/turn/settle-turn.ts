import { AppError, isAppError } from "../../../errors.ts"
import { openWorkspace } from "../../../files/workspaces/files.ts"
import { openSessionLog } from "../../../kernel/session-log.ts"
import { ModelError, type ModelErrorType } from "../../../models/errors.ts"
import { classifyError } from "../../runs/classify-error.ts"
import { applyEdits, editsOf } from "../edits/apply-edits.ts"
import { type AnswerFlaws, summarizeEdits } from "../edits/edit-summary.ts"
import { noResult } from "../history/transcript.ts"
import { sortSelection } from "../prompt/selection.ts"
import { selectable } from "../rules.ts"
import type { TurnSummary, TurnUsage } from "../schema.ts"
import { shellCommandsIn } from "./shell-commands.ts"
import type { ChatDeps, Turn } from "./turn.ts"
import { turnCost } from "./turn-cost.ts"

const REFUSAL_HINT =
  "Ask in other words, or ask another model. The model isn't told of this message again, so that it doesn't refuse the next ones for it."

/** Applies the edits of an answer that is whole, and settles its turn. */
export async function settleTurn(deps: ChatDeps, turn: Turn): Promise<void> {
  const { context, journal } = turn
  const content = journal.answered?.content ?? ""
  journal.edits ??= await applyEdits(deps, turn)
  const summary: TurnSummary = {
    ...noSummary(),
    ...summarizeEdits(journal.edits, flawsOf(journal)),
    ...(await selectionFaults(deps, turn)),
    url_context: (journal.pages ?? []).flatMap(({ url, error }) => (error === null ? [url] : [])),
    shed_files: journal.answered?.shed_files ?? [],
    shell_commands: shellCommandsIn(content),
    finish_reason: journal.answered?.finish_reason ?? null,
    workspace_version: context.state().workspace.version,
  }
  // Once its edits are in the files, a turn is settled even if it was asked to stop meanwhile.
  await context.record([settled(turn, summary)])
  journal.settled = summary
}

/** The selected files that could not be shown. */
async function selectionFaults(deps: ChatDeps, { context, journal }: Turn) {
  const { signal } = context
  const session = await openSessionLog(deps, context.sid, { signal })
  const { shown_version: version = 0, shown_manifest: manifest = null } = journal.answered ?? {}
  const shown = await openWorkspace(deps, session, { at: { version, manifest }, signal })
  const { binary, invalid } = sortSelection(shown, journal.asked.files)
  const named = [...invalid, ...binary]
  const unread = (journal.pages ?? []).flatMap(({ url, error }) =>
    error === null ? [] : [`${url} was not read. ${error}`],
  )
  const leftOut = named.length === 0 ? [] : [`Left out and deselected: ${named.join(", ")}.`]
  const notices = [...leftOut, ...unread, ...answerNotices(journal)]
  return { binary_files: binary, invalid_files: invalid, notice: notices.join(" ") || null }
}

/** The flaws of an answer that no result of an edit tells of. A block that can't be read is no edit. */
function flawsOf({ asked, answered }: Turn["journal"]): AnswerFlaws {
  const isRead = answered && asked.mode === "edit" && !asked.commit
  const unreadable = isRead ? editsOf(answered).unreadable : 0
  return { unreadable, isCut: answered?.finish_reason === "max_tokens" }
}

/** The notices that the answer meant to edit and couldn't, or that there is none. */
function answerNotices(journal: Turn["journal"]): string[] {
  const { answered, edits } = journal
  if (answered?.finish_reason === "tool_calls" && answered.content.trim() === "") {
    return ["The model gave no answer: it called a tool, and the chat has none."]
  }
  if (answered?.content.trim() === "") return ["The model gave no answer."]
  const { unreadable } = flawsOf(journal)
  if (unreadable === 0) return []
  const form = "Each needs the path of its file alone on a line, and stands in no code fence and in no thought."
  if (edits?.length === 0) return [`No file was changed: the edits of the answer can't be read. ${form}`]
  const some = unreadable === 1 ? "One edit" : `${unreadable} edits`
  return [`${some} of the answer can't be read, and changed nothing. ${form}`]
}

/** Settles a turn that was stopped or failed, together with what there is of its answer. */
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
  // Of a run that was asked to stop, the end is still recorded.
  await context.write([]).catch(() => {})
  const end = settled(turn, summary)
  await context.record(unfinished ? [unfinished, end] : [end])
  journal.settled = summary
}

/** The notice that a complete answer was stopped before its edits were applied; null for any other. */
function noticeOfStop({ answered, edits }: Turn["journal"]): string | null {
  return answered && !edits ? "It was stopped before the edits of the answer were applied." : null
}

/** The failure of a turn that was settled by an executor that died before it could tell of its run; undefined of any other. */
export function failureBefore({ error, error_info }: TurnSummary): AppError | undefined {
  if (error === null) return undefined
  return new ModelError((error_info?.type ?? "unknown_error") as ModelErrorType, error)
}

function isCancelled({ context }: Turn, error: unknown): boolean {
  return isAppError(error, "run_cancelled") || isAppError(context.signal.reason, "run_cancelled")
}

function failureOf({ context }: Turn, error: unknown): Pick<TurnSummary, "error" | "error_info"> {
  const classified = classifyError(error)
  const { error_type: type } = classified
  // A refusal. That of a workflow has other ways out.
  const hint = isAppError(error, "workflow_error") ? REFUSAL_HINT : classified.hint
  const message = error instanceof AppError ? error.message : "The turn failed."
  const retryAfterMs = error instanceof ModelError ? error.retryAfterMs : undefined
  const retry_after = retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1000)
  return { error: message, error_info: { type, message, hint, retry_after, model: context.model } }
}

function settled({ context, journal, unfinished }: Turn, summary: TurnSummary) {
  const { request_id, chat_id, agent_id } = journal.asked
  const gone = new Set([...summary.binary_files, ...summary.invalid_files])
  const selected = context.state().chat.selected.filter((path) => !gone.has(path))
  const files = selectable([...new Set([...selected, ...summary.files_auto_added])])
  const added = new Set(files)
  const files_auto_added = summary.files_auto_added.filter((path) => added.has(path))
  const usage = (unfinished ?? journal.answered)?.usage ?? noUsage
  const cost_usd = turnCost(usage, context.model)
  return {
    ...{ type: "chat_turn_settled" as const, run_id: context.runId, agent_id, request_id, chat_id },
    ...{ summary: { ...summary, files_auto_added, cost_usd }, usage, cost_usd, files },
  }
}

const noUsage: TurnUsage = noResult.token_usage

function noSummary(): TurnSummary {
  const { response: _1, edit_results: _2, token_usage: _3, cancelled: _4, ...summary } = noResult
  return summary
}
