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
  /** Whether the same request may succeed later. An exhausted quota is a `rate_limit` that it can't. */
  readonly retryable: boolean

  constructor(
    errorType: ModelErrorType,
    message: string,
    options: { status?: number; retryAfterMs?: number; retryable?: boolean; cause?: unknown } = {},
  ) {
    super("model_error", message, { error_type: errorType, status: options.status ?? null }, { cause: options.cause })
    this.errorType = errorType
    this.retryAfterMs = options.retryAfterMs
    this.retryable = options.retryable ?? (errorType === "rate_limit" || errorType === "connection_error")
  }
}
