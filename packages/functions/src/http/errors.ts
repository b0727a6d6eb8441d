import { AppError, type ErrorCode } from "@switchyard/core/errors"
import { shownMessage, systemFaultIn } from "@switchyard/core/system-faults"
import type { Context } from "hono"
import { HTTPException } from "hono/http-exception"
import type { ContentfulStatusCode } from "hono/utils/http-status"

/** Path of the MCP endpoint. */
export const MCP_PATH = "/mcp"

/** HTTP status for each error code. */
export const STATUS = {
  validation_error: 422,
  invalid_request: 422,
  workspace_validation_error: 422,
  workspace_binary_file: 422,
  workspace_unauthorized: 401,
  workspace_not_found: 404,
  workspace_conflict: 409,
  workspace_error: 500,
  archive_failed: 500,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  rate_limited: 429,
  limit_reached: 403,
  budget_reached: 403,
  payload_too_large: 413,
  unsupported_media_type: 415,
  release_mismatch: 400,
  run_active: 409,
  run_not_found: 404,
  run_superseded: 409,
  run_cancelled: 409,
  run_ended: 409,
  session_deleted: 404,
  session_not_found: 404,
  account_exists: 409,
  app_exists: 409,
  account_not_found: 404,
  idempotency_conflict: 409,
  resync: 410,
  storage_conflict: 409,
  storage_too_large: 413,
  storage_unavailable: 503,
  storage_damaged: 500,
  secret_unreadable: 500,
  task_invalid: 400,
  terminal_invalid: 400,
  agent_not_found: 404,
  agent_exists: 409,
  agent_closed: 409,
  queue_full: 409,
  team_refused: 409,
  question_not_found: 404,
  question_answered: 409,
  question_unclear: 409,
  consent_required: 409,
  agents_unavailable: 501,
  worktree_not_found: 404,
  worktree_conflict: 409,
  merge_stopped: 409,
  worktree_busy: 409,
  worktree_damaged: 409,
  branch_not_found: 404,
  conflict_not_found: 404,
  merge_blocked: 409,
  commit_refused: 409,
  setup_failed: 409,
  push_rejected: 409,
  command_expired: 503,
  command_interrupted: 503,
  repository_error: 422,
  host_refused: 422,
  git_error: 500,
  model_error: 502,
  not_verified: 409,
  task_unfinished: 409,
  agent_failed: 502,
  workflow_error: 500,
  internal_error: 500,
} satisfies Record<ErrorCode, ContentfulStatusCode>

interface ErrorEnvelope {
  error: { code: ErrorCode; message: string; details: Record<string, unknown> | null }
}

interface ErrorOptions {
  /** Receives each unexpected error. */
  report: (error: unknown) => void
  /** Aborts when the server stops. Abort errors after that aren't reported. */
  stopping?: AbortSignal
  /** True if workspace errors keep their own message. Otherwise, clients receive a generic message. */
  verbose: boolean
}

/** Returns the response for an error. MCP clients receive it as a JSON-RPC error. */
export function errorResponse(error: unknown, c: Context, options: ErrorOptions): Response {
  const known = toReportedError(error, options)
  // If the body hasn't been read completely, the connection can't be reused.
  if (known.code === "payload_too_large") c.header("Connection", "close")
  if (known.code === "rate_limited") c.header("Retry-After", String(known.details.retry_after_seconds))
  const envelope = envelopeOf(known, options)
  return c.json(c.req.path === MCP_PATH ? protocolError(envelope) : envelope, STATUS[known.code])
}

/**
 * Returns the JSON-RPC error for a request that was refused before its message was read. Its `id` is null (JSON-RPC
 * 2.0, section 5.1).
 */
function protocolError({ error: { message, ...data } }: ErrorEnvelope) {
  return {
    jsonrpc: "2.0",
    id: null,
    error: { code: data.code === "validation_error" ? UNREADABLE : REFUSED, message, data },
  }
}

/** JSON-RPC code for "Parse error". */
const UNREADABLE = -32_700
/** One of the JSON-RPC codes reserved for servers. `data` contains our own error code and details. */
const REFUSED = -32_000

/** Returns the error envelope for a response that has already begun with a success status. */
export function errorEnvelope(error: unknown, options: ErrorOptions): ErrorEnvelope {
  return envelopeOf(toReportedError(error, options), options)
}

/** Returns the response for a request that can't be parsed into a `Request`. */
export function malformedRequest(error: unknown): Response {
  const reason = error instanceof Error ? error.message : String(error)
  const known = new AppError("validation_error", "The request could not be read.", { reason })
  return Response.json(envelopeOf(known, { verbose: false }), { status: STATUS[known.code] })
}

function toReportedError(error: unknown, { stopping, report }: ErrorOptions): AppError {
  const stopped = stopping?.aborted && error instanceof Error && error.name === "AbortError"
  if (stopped) return new AppError("storage_unavailable", "The server is shutting down. Try again.")
  const known = asAppError(error)
  if (isServerFault(known)) report(error)
  return known
}

function envelopeOf({ code, message, details }: AppError, { verbose }: { verbose: boolean }): ErrorEnvelope {
  if (code === "workspace_error" && !verbose) return { error: { code, message: WORKSPACE_UNAVAILABLE, details: null } }
  return { error: { code, message, details: Object.keys(details).length > 0 ? details : null } }
}

const WORKSPACE_UNAVAILABLE = "The workspace is currently unavailable."

/**
 * True if the error must be reported. Workflow errors were already reported by the executor, and model errors are the
 * provider's fault.
 */
function isServerFault({ code }: AppError): boolean {
  return STATUS[code] >= 500 && code !== "workflow_error" && code !== "model_error"
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  // Hono's own validators run before ours and throw these errors.
  if (error instanceof HTTPException && error.status === 415) {
    return new AppError("unsupported_media_type", "Send the body as application/json.")
  }
  if (error instanceof HTTPException && error.status < 500) {
    return new AppError("validation_error", "The request could not be read.", { reason: error.message })
  }
  const fault = systemFaultIn(error)
  const code = fault?.type === "storage_unavailable" ? fault.type : "internal_error"
  return new AppError(code, shownMessage(error), fault && { hint: fault.hint }, { cause: error })
}
