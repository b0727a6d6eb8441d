import type { AgentIsolation } from "../../agents/runner/isolation-schema.ts"
import type { ReadCheckout } from "../../people/settings/autoconfigure.ts"

/** Machine on which agents work, as far as requests need to know it. */
export interface AgentHost {
  /** Requests may name folders of this machine, and its owner must consent before agents act in them. */
  local: boolean
  /** Throws `task_invalid` for a folder that agents can't work in. */
  checkFolder(path: string, options: { signal: AbortSignal }): Promise<void>
  /** Present if requests may name folders of this machine. */
  readCheckout?: ReadCheckout
  /** Returns true if the folder exists. Present if requests may name folders of this machine. */
  hasFolder?(path: string): Promise<boolean>
  /** Isolation of its agents, if known before one runs. */
  isolation?: AgentIsolation
}
