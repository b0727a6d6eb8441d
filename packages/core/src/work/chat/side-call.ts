import { AppError, type ErrorCode } from "../../errors.ts"
import { ModelError } from "../../models/errors.ts"

const CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["workflow_error", "invalid_request", "budget_reached"])

/** True if the model failed or gave no answer, so that a turn continues without it. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ModelError || (error instanceof AppError && CODES.has(error.code))
}
