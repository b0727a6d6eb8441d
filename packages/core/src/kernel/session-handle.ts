import type { SessionState } from "../state.ts"
import type { History } from "./history.ts"

/** An owner's session, as far as its log was read. */
export interface SessionHandle {
  sid: string
  sessionId: string
  state: SessionState
  history: History
  /** Time of last use in Unix milliseconds, rounded to the minute. */
  touchedAt: number
}
