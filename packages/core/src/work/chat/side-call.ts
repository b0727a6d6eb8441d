import { AppError, type ErrorCode } from "../../errors.ts"
import { ModelError } from "../../models/errors.ts"

const CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["workflow_error", "invalid_request", "budget_reached"])

/** Returns true if an auxiliary model call failed with an error that needn't end the turn. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ModelError || (error instanceof AppError && CODES.has(error.code))
}
