import type { SessionState } from "../state.ts"
import type { History } from "./history.ts"

/** A session of an owner, as far as it was read. */
export interface SessionHandle {
  sid: string
  sessionId: string
  state: SessionState
  history: History
  /** The last use of it, in Unix milliseconds, to the minute. */
  touchedAt: number
}
