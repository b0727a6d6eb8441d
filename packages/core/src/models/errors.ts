import { AppError } from "../errors.ts"

export type ModelErrorType =
  | "rate_limit"
  | "auth_error"
  | "connection_error"
  | "context_limit"
  | "invalid_request"
  | "unknown_error"

/** A failed model call. `retryAfterMs` is what the provider asked for, when it did. */
export class ModelError extends AppError {
  readonly errorType: ModelErrorType
  readonly retryAfterMs: number | undefined

  constructor(
    errorType: ModelErrorType,
    message: string,
    options: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super("model_error", message, { error_type: errorType, status: options.status ?? null }, { cause: options.cause })
    this.errorType = errorType
    this.retryAfterMs = options.retryAfterMs
  }
}
