import type { LogEvent } from "../events.ts"

/** One area's part of the session state: a pure fold over the session log. */
export interface Part<S> {
  /**
   * Version of the shape. Increment it whenever the shape changes, so that this part is rebuilt from the log instead of
   * loaded from old snapshots.
   */
  version: number
  initial: S
  /** Returns the part after another event, or the same object if nothing changed. */
  apply(part: S, event: LogEvent): S
  /** True if the part's data is kept when the session is deleted or opened again. */
  outlivesSession?: boolean
}
