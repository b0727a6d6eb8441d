import type { LogEvent } from "../events.ts"
import type { PartName, SessionState } from "../state.ts"
import type { Records } from "../storage/records.ts"

/** The fold of a session's events, as `core/src/state.ts` composes it of all nouns' parts. The kernel knows none of them. */
export interface SessionFold {
  empty: SessionState
  names: readonly PartName[]
  /** The version of each part's shape, for what is stored of it. */
  versions: Readonly<Record<PartName, number>>
  /** The state after one more event. */
  apply(state: SessionState, event: LogEvent): SessionState
  /** The state with only these parts after one more event. */
  applyTo(state: SessionState, event: LogEvent, names: readonly PartName[]): SessionState
  /** The state with only these parts as they were before anything happened. */
  without(state: SessionState, names: readonly PartName[]): SessionState
  /** True for an event that ends work, after which the state may forget some. */
  endsWork(event: LogEvent): boolean
  /** True once so much has ended that a long fold forgets some of it on its way. */
  isCrowded(state: SessionState): boolean
  /** The state without what ended long ago. */
  forget(state: SessionState): ForgetResult
}

export interface ForgetResult {
  state: SessionState
  /** Stores what was forgotten, in the session's own partitions: to be done before the new state is used. */
  store(records: Records, sid: string, options: { signal: AbortSignal }): Promise<void>
}
