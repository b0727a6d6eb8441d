import { AppError } from "../errors.ts"
import type { SessionState } from "../state.ts"
import { logName } from "./keys.ts"
import type { SessionLogDeps } from "./session-log.ts"

/**
 * Returns the session as it was right after event number `seq`, computed from the start of its log. Without `seq`,
 * returns the session unchanged. Throws `validation_error` if the session doesn't have this event.
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
    // Don't store the forgotten work. It was stored when the session itself forgot it.
    if (fold.endsWork(event) && fold.isCrowded(state)) state = fold.forget(state).state
  }
  return { ...session, state }
}

/** Throws `validation_error` if the session doesn't have an event with this number. */
export function requireEvent({ session, head }: SessionState, seq: number): void {
  const first = session.since?.seq ?? 1
  if (seq >= first && seq <= head) return
  const details = { at_seq: seq, first, latest: head }
  throw new AppError("validation_error", "The session doesn't have an event with this number.", details)
}
