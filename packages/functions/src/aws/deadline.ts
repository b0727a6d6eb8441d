/** The parts of Lambda's context that this package uses. */
export interface Invocation {
  awsRequestId: string
  getRemainingTimeInMillis(): number
}

/** Time reserved for a clean shutdown. */
const CLOSE_MARGIN_MS = 10_000

/** Returns a signal that aborts after `maxMs`, or `marginMs` before the invocation's deadline, whichever is earlier. */
export function abortBeforeDeadline(
  context: Invocation,
  maxMs = Number.POSITIVE_INFINITY,
  marginMs: number = CLOSE_MARGIN_MS,
): AbortSignal {
  return AbortSignal.timeout(Math.max(0, Math.floor(Math.min(maxMs, context.getRemainingTimeInMillis() - marginMs))))
}
