import type { LogEvent } from "../events.ts"

/** One area's part of the session state: a pure fold over the session log. */
export interface Part<S> {
  /** Increment whenever the shape changes. This part is then refolded instead of loaded from old snapshots. */
  version: number
  initial: S
  /** Returns the part after another event, or the same object if nothing changed. */
  apply(part: S, event: LogEvent): S
  /** True if the part's data remains when the session is deleted or opened again. */
  outlivesSession?: boolean
}
