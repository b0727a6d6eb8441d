import { AppError } from "../errors.ts"
import type { PlanLimit } from "./plan-limit.ts"
import type { Usage } from "./provider.ts"

export type ModelErrorType =
  | "rate_limit"
  | "auth_error"
  | "connection_error"
  | "context_limit"
  | "invalid_request"
  | "provider_error"

/** Resource that has run out: credit, or a plan's quota until it resets. */
export type UsedUp = "credit" | "quota"

/** A failed model call. `retryAfterMs` is the wait that the provider asked for, if any. */
export class ModelError extends AppError {
  readonly errorType: ModelErrorType
  readonly retryAfterMs: number | undefined
  /** Set for a `rate_limit` that won't clear soon. */
  readonly usedUp: UsedUp | undefined
  /** The plan's limit that the request hit, if the provider named it. */
  readonly limit: PlanLimit | undefined
  /** True if the request is too much for the demo model, but a real model might manage it. */
  readonly isBeyondDemo: boolean
  /** True if the demo model refused a change of a project, so the project is as it was. */
  readonly isUnchanged: boolean
  /** True if the same request may succeed when it is retried shortly. */
  readonly retryable: boolean
  /** Usage of the failed call, if the provider reported it. */
  readonly usage: Usage | undefined

  constructor(
    errorType: ModelErrorType,
    message: string,
    options: {
      status?: number
      retryAfterMs?: number
      usedUp?: UsedUp
      limit?: PlanLimit
      isBeyondDemo?: boolean
      isUnchanged?: boolean
      retryable?: boolean
      usage?: Usage | undefined
      cause?: unknown
    } = {},
  ) {
    super("model_error", message, { error_type: errorType, status: options.status ?? null }, { cause: options.cause })
    this.errorType = errorType
    this.retryAfterMs = options.retryAfterMs
    this.usedUp = options.usedUp
    this.limit = options.limit
    this.isBeyondDemo = options.isBeyondDemo ?? false
    this.isUnchanged = options.isUnchanged ?? false
    const passes = (errorType === "rate_limit" && !options.usedUp) || errorType === "connection_error"
    this.retryable = options.retryable ?? passes
    this.usage = options.usage
  }
}
