import type { WorktreeCommand, WorktreeQuery } from "../../../files/worktrees/command-schema.ts"
import type { SessionState } from "../../../state.ts"

interface Waiting {
  signal: AbortSignal
  /** Ends the wait for the answer, but not the command. */
  enough: AbortSignal
}

/** Commands to worktrees of sessions, which runners execute. */
export interface WorktreePort {
  /** Returns the answer, or undefined if it is late. Rethrows the runner's errors. */
  send(
    sid: string,
    request: { commandId: string; command: WorktreeCommand | WorktreeQuery; worktree?: string },
    options: Waiting,
  ): Promise<Record<string, unknown> | undefined>
  /** Returns the answer of a command that was sent before, like `send`. Throws `not_found` if there was none. */
  find(
    session: { sid: string; state: SessionState },
    commandId: string,
    options: Waiting,
  ): Promise<Record<string, unknown> | undefined>
}
