import { AppError } from "../errors.ts"
import type { SessionState } from "../state.ts"
import { logName } from "./keys.ts"
import type { SessionLogDeps } from "./session-log.ts"

/**
 * A session as it was after one of its events, folded from the beginning of its log; as it is without one. Throws
 * `validation_error` for a number that is no event of the session.
 */
export async function sessionAt<Session extends { sid: string; state: SessionState }>(
  { log, fold }: Pick<SessionLogDeps, "log" | "fold">,
  session: Session,
  seq: number | undefined,
  options: { signal: AbortSignal },
): Promise<Session> {
  const { sid, state: now } = session
  if (seq === undefined || seq === now.head) return session
  requireEvent(now, seq)
  let state = fold.empty
  for await (const event of log.read(logName(sid), 0, options)) {
    if (event.seq > seq) break
    state = fold.apply(state, event)
    // What a long fold forgets on its way was stored when the session itself forgot it.
    if (fold.endsWork(event) && fold.isCrowded(state)) state = fold.forget(state).state
  }
  return { ...session, state }
}

/** Throws `validation_error` for a number that is no event of the session. */
export function requireEvent({ session, head }: SessionState, seq: number): void {
  const first = session.since?.seq ?? 1
  if (seq >= first && seq <= head) return
  const details = { at_seq: seq, first, latest: head }
  throw new AppError("validation_error", "The session has no event of this number.", details)
}
