import type { WorktreeCommand, WorktreeQuery } from "../../../files/worktrees/command-schema.ts"
import type { SessionState } from "../../../state.ts"

interface Waiting {
  signal: AbortSignal
  /** Ends the wait for the answer, and not the command. */
  enough: AbortSignal
}

/** Commands to worktrees of sessions, which runners carry out. */
export interface WorktreePort {
  /** Resolves to the answer; undefined if it hasn't come in time. Throws what was thrown there. */
  send(
    sid: string,
    request: { commandId: string; command: WorktreeCommand | WorktreeQuery; worktree?: string },
    options: Waiting,
  ): Promise<Record<string, unknown> | undefined>
  /** The same for a command that was sent before. Throws `not_found` for none. */
  find(
    session: { sid: string; state: SessionState },
    commandId: string,
    options: Waiting,
  ): Promise<Record<string, unknown> | undefined>
}
