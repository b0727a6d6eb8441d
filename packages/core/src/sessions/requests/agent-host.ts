import type { AgentIsolation } from "../../agents/runner/isolation-schema.ts"
import type { ReadCheckout } from "../../people/settings/autoconfigure.ts"

/** Machine that agents work on, with what requests need to know about it. */
export interface AgentHost {
  /**
   * True if requests may name folders on this machine. The owner must then consent before agents act in such a folder.
   */
  local: boolean
  /** Throws `task_invalid` for a folder that agents can't work in. */
  checkFolder(path: string, options: { signal: AbortSignal }): Promise<void>
  /** Reads a checkout in a folder. Present if requests may name folders on this machine. */
  readCheckout?: ReadCheckout
  /** Returns true if the folder exists. Present if requests may name folders on this machine. */
  hasFolder?(path: string): Promise<boolean>
  /** Isolation of the machine's agents, if it is known before an agent runs. */
  isolation?: AgentIsolation
}
