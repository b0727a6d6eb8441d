import type { CliId } from "../../agents/clis/clis.ts"
import type { AgentIsolation } from "../../agents/runner/isolation-schema.ts"
import type { AgentSetup } from "../../agents/setup/read-setup.ts"
import type { ReadCheckout } from "../../people/settings/autoconfigure.ts"

/** Facts about the machine that agents work on, as needed to check requests. */
export interface AgentHost {
  /**
   * True if requests may name folders on this machine. The owner must then consent before agents act in such a folder.
   */
  local: boolean
  /** Throws `task_invalid` if agents can't work in this folder. */
  checkFolder(path: string, options: { signal: AbortSignal }): Promise<void>
  /** Reads the checkout in a folder. Only defined if requests may name folders on this machine. */
  readCheckout?: ReadCheckout
  /** Reads the person's own setup for a program. Only defined if agents run on the person's machine. */
  readSetup?(cli: CliId): Promise<AgentSetup>
  /** Returns true if the folder exists. Only defined if requests may name folders on this machine. */
  hasFolder?(path: string): Promise<boolean>
  /**
   * Returns true if project code runs in a sandbox on this machine. Only defined if project code may also run without a
   * sandbox.
   */
  confinesChecks?(): Promise<boolean>
  /** Isolation of agents on this machine, if it is known before an agent runs. */
  isolation?: AgentIsolation
}
