/** The parts of Lambda's context that are used here. */
export interface Invocation {
  awsRequestId: string
  getRemainingTimeInMillis(): number
}

/** The time that an orderly end takes. */
const CLOSE_MARGIN_MS = 10_000

/** A signal that aborts after `maxMs`, and at the latest `marginMs` before the deadline of the invocation. */
export function abortBeforeDeadline(
  context: Invocation,
  maxMs = Number.POSITIVE_INFINITY,
  marginMs: number = CLOSE_MARGIN_MS,
): AbortSignal {
  return AbortSignal.timeout(Math.max(0, Math.floor(Math.min(maxMs, context.getRemainingTimeInMillis() - marginMs))))
}
