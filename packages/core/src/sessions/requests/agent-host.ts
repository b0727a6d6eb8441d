import type { CliId } from "../../agents/clis/clis.ts"
import type { ListedNativeSession } from "../../agents/native-sessions/schema.ts"
import type { AgentIsolation } from "../../agents/runner/isolation-schema.ts"
import type { AgentSetup } from "../../agents/setup/read-setup.ts"
import { AppError } from "../../errors.ts"
import { isMachineOwner } from "../../people/access/tokens.ts"
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
  /**
   * Sessions of agents' programs in the home of this machine's user. Only defined if agents run as this user on this
   * machine.
   */
  nativeSessions?: NativeSessions
  /** Isolation of agents on this machine, if it is known before an agent runs. */
  isolation?: AgentIsolation
}

export interface NativeSessions {
  /** Lists the sessions that worked in this folder, newest first. */
  list(folder: string, options: { signal: AbortSignal }): Promise<ListedNativeSession[]>
  /**
   * Writes a session's files to the home. Keeps existing files that already contain them. Throws `task_invalid` if an
   * existing file differs.
   */
  write(files: { path: string; content: Uint8Array }[]): Promise<void>
}

/**
 * Returns the sessions in the home of this machine's user. Throws `task_invalid` if the server has no access to them, or
 * if another person asks.
 */
export function nativeSessionsOf(agents: AgentHost | undefined, owner: string): NativeSessions {
  const refuse = (why: string) => new AppError("task_invalid", why)
  if (!agents?.local) throw refuse("Sessions can only be taken over on the machine they are on.")
  if (!agents.nativeSessions)
    throw refuse("Agents on this server run as a different user, which can't read your sessions.")
  if (!isMachineOwner(owner)) throw refuse("Only the person who runs this server can take over sessions in its home.")
  return agents.nativeSessions
}
