import { AppError, type ErrorCode } from "@switchyard/core/errors"
import type { Context } from "hono"
import { HTTPException } from "hono/http-exception"
import type { ContentfulStatusCode } from "hono/utils/http-status"

/** The only table from codes to statuses. */
export const STATUS = {
  validation_error: 422,
  invalid_request: 422,
  workspace_validation_error: 422,
  workspace_binary_file: 422,
  workspace_unauthorized: 401,
  workspace_not_found: 404,
  workspace_conflict: 409,
  workspace_error: 500,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  run_active: 409,
  run_not_found: 404,
  run_superseded: 409,
  run_cancelled: 409,
  session_deleted: 404,
  idempotency_conflict: 409,
  resync: 410,
  storage_conflict: 409,
  storage_too_large: 413,
  storage_unavailable: 503,
  model_error: 502,
  workflow_error: 500,
  internal_error: 500,
} satisfies Record<ErrorCode, ContentfulStatusCode>

export interface ErrorEnvelope {
  error: { code: ErrorCode; message: string; details: Record<string, unknown> | null }
}

/** The one answer to whatever was thrown. What nobody expected is reported whole, and told in no detail. */
export function errorResponse(error: unknown, c: Context, report: (error: unknown) => void): Response {
  const known = asAppError(error)
  const status = STATUS[known.code]
  if (status >= 500) report(error)
  return c.json(envelopeOf(known), status)
}

export function envelopeOf({ code, message, details }: AppError): ErrorEnvelope {
  return { error: { code, message, details: Object.keys(details).length > 0 ? details : null } }
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  // What Hono's own validators throw before ours are asked.
  if (error instanceof HTTPException && error.status < 500) {
    return new AppError("validation_error", "The request could not be read.", { reason: error.message })
  }
  return new AppError("internal_error", "Something went wrong.", {}, { cause: error })
}
