/** The parts of Lambda's context that matter here. */
export interface Invocation {
  awsRequestId: string
  getRemainingTimeInMillis(): number
}

/** The time that it takes to end in good order. */
const TO_CLOSE_MS = 10_000

/** Aborts after `mostMs`, and in any case while there is time enough to say goodbye. */
export function beforeTheEnd(
  context: Invocation,
  mostMs = Number.POSITIVE_INFINITY,
  closeMs: number = TO_CLOSE_MS,
): AbortSignal {
  return AbortSignal.timeout(Math.max(0, Math.floor(Math.min(mostMs, context.getRemainingTimeInMillis() - closeMs))))
}
