import type { WorktreeCommand, WorktreeQuery } from "../../../files/worktrees/command-schema.ts"
import type { SessionState } from "../../../state.ts"

interface Waiting {
  signal: AbortSignal
  /** Signal that ends the wait for the answer. The command itself continues. */
  enough: AbortSignal
}

/** Access to worktree commands, which runners execute. */
export interface WorktreePort {
  /** Returns the answer, or undefined if it doesn't arrive in time. Rethrows the runner's errors. */
  send(
    sid: string,
    request: { commandId: string; command: WorktreeCommand | WorktreeQuery; worktree?: string },
    options: Waiting,
  ): Promise<Record<string, unknown> | undefined>
  /** Like `send`, but returns the answer to a command sent earlier. Throws `not_found` if no such command was sent. */
  find(
    session: { sid: string; state: SessionState },
    commandId: string,
    options: Waiting,
  ): Promise<Record<string, unknown> | undefined>
}
