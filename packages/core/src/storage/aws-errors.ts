import { AppError } from "../errors.ts"
import { systemFaultIn } from "../system-faults.ts"

/**
 * Awaits an AWS call, and maps transient errors (throttling, 5xx, a missing or incomplete response) to
 * `storage_unavailable`. When such an error is thrown, the SDK has already retried, and any of the attempts may have
 * taken effect. Permanent errors, such as a missing table or permission, are thrown unchanged.
 */
export async function mapAwsErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!isTransient(error)) throw error
    throw unavailable(error)
  }
}

export function unavailable(cause: unknown): AppError {
  const fault = systemFaultIn(cause)
  const message = ["Storage is currently unavailable.", fault?.message].filter(Boolean).join(" ")
  return new AppError("storage_unavailable", message, fault && { hint: fault.hint }, { cause })
}

const TRANSIENT = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestTimeout",
  "SlowDown",
  "ThrottlingException",
  "TransactionInProgressException",
])

/**
 * True for transient errors. Every SDK error about a request has `$metadata`. If `$metadata` contains no status, no
 * response was started.
 */
function isTransient(error: unknown): boolean {
  if (!isRequestError(error) || error.name === "AbortError") return false
  const { httpStatusCode: status } = error.$metadata
  return status === undefined || status >= 500 || status === 429 || TRANSIENT.has(error.name) || isBrokenResponse(error)
}

/**
 * True if a response was started but didn't arrive completely. The call may have taken effect. The SDK gives such an
 * error the status in the response's headers, even if that is 200.
 */
export function isBrokenResponse(error: unknown): boolean {
  if (!isRequestError(error) || error.name === "AbortError") return false
  if (error.name === "TimeoutError" || (error.code !== undefined && CONNECTION_CODES.has(error.code))) return true
  // A response that reports success doesn't contain a service error, so the error must have occurred while reading the
  // response.
  const { httpStatusCode: status = 0 } = error.$metadata
  return status >= 200 && status < 300 && error.$fault === undefined
}

const CONNECTION_CODES = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ETIMEDOUT",
])

interface RequestError extends Error {
  $metadata: { httpStatusCode?: number }
  /** Set only on errors that the service itself has returned. */
  $fault?: "client" | "server"
  code?: string
}

function isRequestError(error: unknown): error is RequestError {
  return error instanceof Error && "$metadata" in error
}
