import type { SessionState } from "../state.ts"
import type { History } from "./history.ts"

/** An owner's session, with its state as of the last event that was read. */
export interface SessionHandle {
  sid: string
  sessionId: string
  state: SessionState
  history: History
  /** Time of the last use in Unix milliseconds, rounded to the minute. */
  touchedAt: number
}
