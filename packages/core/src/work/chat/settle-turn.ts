import { AppError, isAppError } from "../../errors.ts"
import { ModelError } from "../../models/errors.ts"
import { classifyError } from "../runs/classify-error.ts"
import type { TurnSummary, TurnUsage } from "./schema.ts"
import { shellCommandsIn } from "./shell-commands.ts"
import { noResult } from "./transcript.ts"
import type { ChatDeps, Turn } from "./turn.ts"

/** Settles a turn whose answer is whole. */
export async function settleTurn(_deps: ChatDeps, turn: Turn): Promise<void> {
  const { context, journal } = turn
  const content = journal.answered?.content ?? ""
  const summary: TurnSummary = {
    ...noSummary(),
    shell_commands: shellCommandsIn(content),
    finish_reason: journal.answered?.finish_reason ?? null,
    workspace_version: context.state().workspace.version,
  }
  await context.write([settled(turn, summary)])
  journal.settled = summary
}

/** Settles a turn that was stopped or failed. */
export async function settleFailed(turn: Turn, error: unknown): Promise<void> {
  const { context, journal } = turn
  const summary: TurnSummary = {
    ...noSummary(),
    ...(isCancelled(turn, error) ? {} : failureOf(turn, error)),
    finish_reason: journal.answered?.finish_reason ?? null,
    workspace_version: context.state().workspace.version,
  }
  await context.record([settled(turn, summary)])
  journal.settled = summary
}

function isCancelled({ context }: Turn, error: unknown): boolean {
  return isAppError(error, "run_cancelled") || isAppError(context.signal.reason, "run_cancelled")
}

function failureOf({ context }: Turn, error: unknown): Pick<TurnSummary, "error" | "error_info"> {
  const { error_type: type, hint } = classifyError(error)
  const message = error instanceof AppError ? error.message : "The turn failed."
  const retryAfterMs = error instanceof ModelError ? error.retryAfterMs : undefined
  const retry_after = retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1000)
  return { error: message, error_info: { type, message, hint, retry_after, model: context.model } }
}

function settled({ context, journal }: Turn, summary: TurnSummary) {
  const { request_id, chat_id, agent_id } = journal.asked
  const { selected } = context.state().chat
  return {
    ...{ type: "chat_turn_settled" as const, run_id: context.runId, agent_id, request_id, chat_id },
    ...{ summary, usage: journal.answered?.usage ?? noUsage, files: selected },
  }
}

const noUsage: TurnUsage = noResult.token_usage

function noSummary(): TurnSummary {
  const { response: _1, edit_results: _2, token_usage: _3, cancelled: _4, ...summary } = noResult
  return summary
}
