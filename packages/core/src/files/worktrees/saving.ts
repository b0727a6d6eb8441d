import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { namedWorktree } from "./names-schema.ts"
import type { WorktreeState } from "./state.ts"

type WorktreesOnly = Pick<SessionState, "worktrees">

/** Maximum number of runners that may be lost without saving a file before saving is abandoned. */
const MAX_STARTS = 5

/** Returns the events for an abandoned save. */
export function abandonedSaving(worktree?: string): NewEvent[] {
  return [
    { type: "workspace_save_progressed", ...(worktree && namedWorktree(worktree)), saved: 0, total: 0 },
    {
      type: "agent_notice",
      text: "Some files couldn't be saved to the session's files. They are still in the worktree, and the next task will try again.",
    },
  ]
}

/** True if a runner still has to save files in a worktree. */
export function awaitsSaving(state: WorktreesOnly): boolean {
  return Object.values(state.worktrees.byName).some((worktree) => isSaving(worktree) && !isHopeless(worktree))
}

/** Abandons saving with a notice if too many runners were lost while saving. */
export function abandonHopelessSaving(deadExecutor: string | null): Rule {
  return abandonWhere(deadExecutor, isHopeless)
}

/** Abandons saving because no runner can be started. `deadExecutor` is an executor that is known to be gone. */
export function abandonSaving(deadExecutor: string | null): Rule {
  return abandonWhere(deadExecutor, () => true)
}

function abandonWhere(deadExecutor: string | null, isAbandoned: (worktree: WorktreeState) => boolean): Rule {
  return ({ worktrees, runner }) => {
    if (runner.executor !== null && runner.executor !== deadExecutor) return []
    const abandoned = Object.entries(worktrees.byName).filter(
      ([, worktree]) => isSaving(worktree) && isAbandoned(worktree),
    )
    return abandoned.flatMap(([name]) => abandonedSaving(name))
  }
}

function isSaving({ saving }: WorktreeState): boolean {
  return saving !== null
}

function isHopeless({ savingStarts }: WorktreeState): boolean {
  return savingStarts >= MAX_STARTS
}
