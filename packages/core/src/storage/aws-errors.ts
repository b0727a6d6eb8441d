import { AppError } from "../errors.ts"

/**
 * Waits for an AWS call, and turns what may pass by itself (throttling, 5xx, no answer at all) into
 * `storage_unavailable`. The SDK has tried again before it gives up, and any try may have taken effect. What will not
 * pass by itself (a missing table, a refused permission) stays what it is.
 */
export async function attempt<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!isPassing(error)) throw error
    throw unavailable(error)
  }
}

export function unavailable(cause: unknown): AppError {
  return new AppError("storage_unavailable", "The storage can't be reached at the moment.", {}, { cause })
}

const PASSING = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestTimeout",
  "SlowDown",
  "ThrottlingException",
  "TransactionInProgressException",
])

/** Every error that the SDK throws for a request has `$metadata`, and a status only if an answer came. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error && "$metadata" in error) || error.name === "AbortError") return false
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number }
  return httpStatusCode === undefined || httpStatusCode >= 500 || httpStatusCode === 429 || PASSING.has(error.name)
}
