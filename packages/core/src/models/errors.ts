import { AppError } from "../errors.ts"

export type ModelErrorType =
  | "rate_limit"
  | "auth_error"
  | "connection_error"
  | "context_limit"
  | "invalid_request"
  | "unknown_error"

/** Exhausted resource: money, or a plan's allowance until its limit resets. */
export type UsedUp = "credit" | "quota"

/** A failed model call. `retryAfterMs` is the wait requested by the provider, if any. */
export class ModelError extends AppError {
  readonly errorType: ModelErrorType
  readonly retryAfterMs: number | undefined
  /** Set for a `rate_limit` that does not pass by itself in a moment. */
  readonly usedUp: UsedUp | undefined
  /** True if the demo model refused but a real model might not. */
  readonly isBeyondDemo: boolean
  /** True if the same request may succeed in a moment. */
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
