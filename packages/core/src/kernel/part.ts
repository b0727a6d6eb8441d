import type { LogEvent } from "../events.ts"

/** One noun's part of a session's state: a fold of the session's log, which never changes but by an event. */
export interface Part<S> {
  /** Raised whenever the shape of the part changes: what a snapshot has of it is then folded anew. */
  version: number
  initial: S
  /** The part after one more event; the same object where the event says nothing to it. */
  apply(part: S, event: LogEvent): S
  /** True for a part that stays as it is when the session is deleted or opened anew. */
  outlivesSession?: boolean
}
