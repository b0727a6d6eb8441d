import type { Outcome, ProblemKind } from "@switchyard/core/agents/clis/schema"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { AppError } from "@switchyard/core/errors"
import { ModelError, type ModelErrorType } from "@switchyard/core/models/errors"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import type { Done, TaskEnd } from "../agents/task.ts"

/** Warns if the agent reports that its work isn't done. Throws if the agent gave up. */
export function warnIfUnfinished(
  { warn }: RunContext<AgentInput>,
  { outcome, summary }: Pick<TaskEnd, "outcome" | "summary">,
): void {
  if (outcome.type === "needs_continuation") warn(NO_SUMMARY)
  const { completion_status: status = "success", change_summary: words = "" } = summary ?? {}
  if (outcome.type !== "completed" || status === "success") return
  const text = `The agent itself calls its work "${status}": ${words}`
  if (status !== "partial") throw new AppError("task_unfinished", text)
  warn(text)
}

const NO_SUMMARY =
  "The agent stopped without reporting its work, so it may not have finished. Check its changes before you merge them."

const errorTypes: Partial<Record<ProblemKind, ModelErrorType>> = {
  model_not_found: "invalid_request",
  overloaded: "connection_error",
  network: "connection_error",
  timeout: "connection_error",
}

const usedUp = {
  billing: "credit",
  quota_exhausted: "quota",
  context_full: undefined,
  rate_limited: undefined,
} as const

/** Returns the error for a run that fails with this outcome. */
export function failureOf(outcome: Exclude<Outcome, Done>): AppError {
  if (outcome.type === "limit") return new ModelError("rate_limit", outcome.message, { usedUp: usedUp[outcome.kind] })
  if (outcome.type === "auth") return new ModelError("auth_error", outcome.message)
  if (outcome.problem === "repeating") return new AppError("task_unfinished", outcome.message)
  if (outcome.problem === "cancelled") return new AppError("run_cancelled", outcome.message)
  if (outcome.problem === "not_installed") return new AppError("agents_unavailable", outcome.message)
  const modelError = errorTypes[outcome.problem]
  return modelError ? new ModelError(modelError, outcome.message) : new AppError("agent_failed", outcome.message)
}
