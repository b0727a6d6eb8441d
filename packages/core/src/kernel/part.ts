import type { LogEvent } from "../events.ts"

/** One noun's part of a session's state: a pure fold of the session's log. */
export interface Part<S> {
  /** Raise whenever the shape changes, so that snapshots of this part are folded again. */
  version: number
  initial: S
  /** Returns the part after one more event, or the same object if nothing changes. */
  apply(part: S, event: LogEvent): S
  /** True if the part survives when the session is deleted or opened again. */
  outlivesSession?: boolean
}
