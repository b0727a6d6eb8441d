import type { WorktreeCommand, WorktreeQuery } from "../../../files/worktrees/command-schema.ts"
import type { SessionState } from "../../../state.ts"

interface Waiting {
  signal: AbortSignal
  /** Signal to stop waiting for the answer. The command itself continues. */
  enough: AbortSignal
}

/** Access to worktree commands, which are executed by runners. */
export interface WorktreePort {
  /**
   * Sends a command and returns its answer, or undefined if the answer doesn't arrive in time. Rethrows errors of the
   * runner.
   */
  send(
    sid: string,
    request: { commandId: string; command: WorktreeCommand | WorktreeQuery; worktree?: string },
    options: Waiting,
  ): Promise<Record<string, unknown> | undefined>
  /**
   * Returns the answer to a command that was sent earlier, in the same way as `send`. Throws `not_found` if no such
   * command was sent.
   */
  find(
    session: { sid: string; state: SessionState },
    commandId: string,
    options: Waiting,
  ): Promise<Record<string, unknown> | undefined>
}
