/** Codes of all expected failures. Their HTTP statuses are in `functions/src/http/errors.ts`. */
export type ErrorCode =
  | "validation_error"
  | "invalid_request"
  | "workspace_validation_error"
  | "workspace_binary_file"
  | "workspace_unauthorized"
  | "workspace_not_found"
  | "workspace_conflict"
  | "workspace_error"
  | "archive_failed"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "rate_limited"
  | "limit_reached"
  | "budget_reached"
  | "payload_too_large"
  | "unsupported_media_type"
  | "release_mismatch"
  | "run_active"
  | "run_not_found"
  | "run_superseded"
  | "run_cancelled"
  | "run_ended"
  | "session_deleted"
  | "session_not_found"
  | "account_exists"
  | "app_exists"
  | "account_not_found"
  | "idempotency_conflict"
  | "resync"
  | "storage_conflict"
  | "storage_too_large"
  | "storage_unavailable"
  | "storage_damaged"
  | "secret_unreadable"
  | "task_invalid"
  | "terminal_invalid"
  | "consent_required"
  | "agent_not_found"
  | "agent_exists"
  | "agent_closed"
  | "queue_full"
  | "question_not_found"
  | "question_answered"
  | "question_unclear"
  | "agents_unavailable"
  | "worktree_not_found"
  | "worktree_conflict"
  | "merge_stopped"
  | "worktree_busy"
  | "worktree_damaged"
  | "setup_failed"
  | "branch_not_found"
  | "conflict_not_found"
  | "merge_blocked"
  | "commit_refused"
  | "push_rejected"
  | "command_expired"
  | "command_interrupted"
  | "repository_error"
  | "team_refused"
  | "host_refused"
  | "git_error"
  | "model_error"
  | "not_verified"
  | "task_unfinished"
  | "agent_failed"
  | "workflow_error"
  | "internal_error"

/** An expected failure. `details` is sent to the client unchanged, so it must never contain secrets. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown>

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, options?: { cause?: unknown }) {
    super(message, options)
    this.name = "AppError"
    this.code = code
    this.details = details
  }
}

export function isAppError(error: unknown, code: ErrorCode): error is AppError {
  return error instanceof AppError && error.code === code
}

/** Maximum number of errors in a chain of causes. */
const MAX_LINKS = 5

/** Returns an error and its chain of causes, outermost first. */
export function errorChain(error: unknown): unknown[] {
  const chain: unknown[] = []
  let link = error
  while (link !== undefined && link !== null && chain.length < MAX_LINKS && !chain.includes(link)) {
    chain.push(link)
    link = link instanceof Error ? link.cause : undefined
  }
  return chain
}

export interface Settled {
  error?: unknown
}

/** Runs a task and returns its error instead of throwing it, for callers that continue either way. */
export async function settle(task: () => Promise<unknown>): Promise<Settled> {
  try {
    await task()
    return {}
  } catch (error) {
    return { error: error ?? new Error("Failed without an error.") }
  }
}
