import type { AgentIsolation } from "../../agents/runner/isolation-schema.ts"
import type { ReadCheckout } from "../../people/settings/autoconfigure.ts"

/** Facts that requests need about the machine that agents work on. */
export interface AgentHost {
  /**
   * True if requests may name folders on this machine. The owner must then consent before agents act in such a folder.
   */
  local: boolean
  /** Throws `task_invalid` for a folder in which agents can't work. */
  checkFolder(path: string, options: { signal: AbortSignal }): Promise<void>
  /** Reads the checkout in a folder. Present if requests may name folders on this machine. */
  readCheckout?: ReadCheckout
  /** Returns true if the folder exists. Present if requests may name folders on this machine. */
  hasFolder?(path: string): Promise<boolean>
  /** Returns true if project code runs in a sandbox on this machine. Present if it can run without one. */
  confinesChecks?(): Promise<boolean>
  /** Isolation of the machine's agents, if it is known before an agent runs. */
  isolation?: AgentIsolation
}
