import type { AgentIsolation } from "../../agents/runner/isolation-schema.ts"
import type { ReadCheckout } from "../../people/settings/autoconfigure.ts"

/** The machine on which agents work, as far as requests have to know it. */
export interface AgentHost {
  /** Whether folders of this machine may be named, and its owner is asked before agents act in them. */
  local: boolean
  /** Throws `task_invalid` for a folder in which nobody can work. */
  checkFolder(path: string, options: { signal: AbortSignal }): Promise<void>
  /** Present where folders of this machine may be named. */
  readCheckout?: ReadCheckout
  /** Whether a folder of this machine is there. Present where they may be named. */
  hasFolder?(path: string): Promise<boolean>
  /** The isolation of its agents, if that is known before one runs. */
  isolation?: AgentIsolation
}
