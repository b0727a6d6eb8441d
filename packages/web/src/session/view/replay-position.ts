/** Interval at which a playing replay advances. Playing a whole session takes at most `LENGTH_MS`. */
export const FRAME_MS = 60
const LENGTH_MS = 20_000

/** Numbers of a session's first and latest events, and of the replayed one; null while live. */
export interface ReplayInput {
  firstSeq: number
  headSeq: number
  replaySeq: number | null
}

/**
 * Returns the number of events. A log has no gaps, so an event's position follows from its seq, whether or not it is
 * loaded.
 */
export function totalOf({ firstSeq, headSeq }: ReplayInput): number {
  return headSeq === 0 ? 0 : headSeq - firstSeq + 1
}

/** Returns the 1-based position of the moment shown. Live is the last. */
export function positionOf(input: ReplayInput): number {
  return input.replaySeq === null ? totalOf(input) : Math.max(1, input.replaySeq - input.firstSeq + 1)
}

/** Returns the event to replay at a position; null for the last one, which is live. */
export function seqAtPosition(input: ReplayInput, position: number): number | null {
  return position >= totalOf(input) ? null : input.firstSeq + Math.max(1, position) - 1
}

/** Returns the event that a playing replay shows next; null once it has caught up. */
export function nextSeq(input: ReplayInput & { replaySeq: number }): number | null {
  const stride = Math.max(1, Math.round((totalOf(input) * FRAME_MS) / LENGTH_MS))
  return input.replaySeq + stride >= input.headSeq ? null : input.replaySeq + stride
}
