import { AppError } from "../errors.ts"

/**
 * Waits for an AWS call, and maps transient errors (throttling, 5xx, no response or half of one) to `storage_unavailable`.
 * The SDK has retried before it gives up, and any attempt may have taken effect. Permanent errors (a missing table, a
 * refused permission) are thrown as they are.
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
  return new AppError("storage_unavailable", "The storage is currently unavailable.", {}, { cause })
}

const TRANSIENT = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestTimeout",
  "SlowDown",
  "ThrottlingException",
  "TransactionInProgressException",
])

/** Every error that the SDK throws for a request has `$metadata`, and a status only if a response began. */
function isTransient(error: unknown): boolean {
  if (!isRequestError(error) || error.name === "AbortError") return false
  const { httpStatusCode: status } = error.$metadata
  return status === undefined || status >= 500 || status === 429 || TRANSIENT.has(error.name) || isBrokenResponse(error)
}

/**
 * Whether an answer began and didn't arrive whole. The SDK gives such an error the status of the answer's headers, be it
 * 200; the call may have taken effect.
 */
export function isBrokenResponse(error: unknown): boolean {
  if (!isRequestError(error) || error.name === "AbortError") return false
  if (error.name === "TimeoutError" || (error.code !== undefined && CONNECTION_CODES.has(error.code))) return true
  // An answer that says "done" has no error of the service in it: what is thrown then is thrown over the reading of it.
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
  /** Of errors that the service itself answered with. */
  $fault?: "client" | "server"
  code?: string
}

function isRequestError(error: unknown): error is RequestError {
  return error instanceof Error && "$metadata" in error
}
