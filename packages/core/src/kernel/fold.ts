import type { LogEvent } from "../events.ts"
import type { PartName, SessionState } from "../state.ts"
import type { Records } from "../storage/records.ts"

/**
 * Fold over a session's events. `core/src/state.ts` composes it from the parts of all areas, because the kernel doesn't
 * import the areas' code.
 */
export interface SessionFold {
  empty: SessionState
  names: readonly PartName[]
  /** Version of each part's shape. Snapshots contain these versions, so that readers compute outdated parts again. */
  versions: Readonly<Record<PartName, number>>
  /** Returns the state after another event. */
  apply(state: SessionState, event: LogEvent): SessionState
  /** Returns the state after another event. Only updates the parts with these names. */
  applyTo(state: SessionState, event: LogEvent, names: readonly PartName[]): SessionState
  /** Returns the state with these parts reset to their initial values. */
  without(state: SessionState, names: readonly PartName[]): SessionState
  /** True if the event ends some work. The state may then contain work that can be forgotten. */
  endsWork(event: LogEvent): boolean
  /** True if so much work has ended that a long fold should forget some of it. */
  isCrowded(state: SessionState): boolean
  /** Returns the state without work that ended long ago. */
  forget(state: SessionState): ForgetResult
}

export interface ForgetResult {
  state: SessionState
  /** Stores the forgotten work in the session's own partitions. Must be called before the new state is used. */
  store(records: Records, sid: string, options: { signal: AbortSignal }): Promise<void>
}
