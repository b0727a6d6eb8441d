/** A playing replay moves on this often, and takes at most `LENGTH_MS` from a session's beginning to its end. */
export const FRAME_MS = 60
const LENGTH_MS = 20_000

/** The numbers of a session's first and newest events, and of the one that a replay shows; null while it is live. */
export interface ReplayInput {
  firstSeq: number
  headSeq: number
  replaySeq: number | null
}

/** The number of events. A log has no gaps, so an event's position follows from its seq, loaded or not. */
export function totalOf({ firstSeq, headSeq }: ReplayInput): number {
  return headSeq === 0 ? 0 : headSeq - firstSeq + 1
}

/** The position of the shown moment, from 1 on; live is the last. */
export function positionOf(input: ReplayInput): number {
  return input.replaySeq === null ? totalOf(input) : Math.max(1, input.replaySeq - input.firstSeq + 1)
}

/** The event to replay at a position; null for the last one, which is live. */
export function seqAtPosition(input: ReplayInput, position: number): number | null {
  return position >= totalOf(input) ? null : input.firstSeq + Math.max(1, position) - 1
}

/** The event that a playing replay shows next; null when it has caught up. */
export function nextSeq(input: ReplayInput & { replaySeq: number }): number | null {
  const stride = Math.max(1, Math.round((totalOf(input) * FRAME_MS) / LENGTH_MS))
  return input.replaySeq + stride >= input.headSeq ? null : input.replaySeq + stride
}
