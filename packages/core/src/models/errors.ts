import { AppError } from "../errors.ts"

export type ModelErrorType =
  | "rate_limit"
  | "auth_error"
  | "connection_error"
  | "context_limit"
  | "invalid_request"
  | "provider_error"

/** Resource that has run out: credit, or a plan's quota until it resets. */
export type UsedUp = "credit" | "quota"

/** A failed model call. `retryAfterMs` is how long the provider asked callers to wait, if it asked. */
export class ModelError extends AppError {
  readonly errorType: ModelErrorType
  readonly retryAfterMs: number | undefined
  /** Set for a `rate_limit` that won't clear within moments. */
  readonly usedUp: UsedUp | undefined
  /** True if the demo model can't do what was requested, but a real model might. */
  readonly isBeyondDemo: boolean
  /** True if retrying the same request shortly may succeed. */
  readonly retryable: boolean

  constructor(
    errorType: ModelErrorType,
    message: string,
    options: {
      status?: number
      retryAfterMs?: number
      usedUp?: UsedUp
      isBeyondDemo?: boolean
      retryable?: boolean
      cause?: unknown
    } = {},
  ) {
    super("model_error", message, { error_type: errorType, status: options.status ?? null }, { cause: options.cause })
    this.errorType = errorType
    this.retryAfterMs = options.retryAfterMs
    this.usedUp = options.usedUp
    this.isBeyondDemo = options.isBeyondDemo ?? false
    const passes = (errorType === "rate_limit" && !options.usedUp) || errorType === "connection_error"
    this.retryable = options.retryable ?? passes
  }
}
