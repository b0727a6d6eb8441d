import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { namedWorktree } from "./names-schema.ts"
import type { WorktreeState } from "./state.ts"

type Saved = Pick<SessionState, "worktrees">

/** So many runners may come and go without saving one file: the next would fare no better. */
const MAX_STARTS = 5

/** The end of a save that is given up. */
export function savingGivenUp(worktree?: string): NewEvent[] {
  return [
    { type: "workspace_save_progressed", ...(worktree && namedWorktree(worktree)), saved: 0, total: 0 },
    {
      type: "agent_notice",
      text: "Some files could not be saved among the session's. They are in the worktree, and tried again with the next task.",
    },
  ]
}

/** True while files of the worktree wait for a runner to save them. */
export function awaitsSaving(state: Saved): boolean {
  return Object.values(state.worktrees.byName).some((worktree) => isSaving(worktree) && !isHopeless(worktree))
}

/** Gives up saving, for everybody to see, where too many runners were lost while they saved. */
export function endHopelessSaving(gone: string | null): Rule {
  return endSavingOf(gone, isHopeless)
}

/** Gives up saving where no runner can be had; `gone` is one that is known to be gone. */
export function endSaving(gone: string | null): Rule {
  return endSavingOf(gone, () => true)
}

function endSavingOf(gone: string | null, isOver: (worktree: WorktreeState) => boolean): Rule {
  return ({ worktrees, runner }) => {
    if (runner.executor !== null && runner.executor !== gone) return []
    const over = Object.entries(worktrees.byName).filter(([, worktree]) => isSaving(worktree) && isOver(worktree))
    return over.flatMap(([name]) => savingGivenUp(name))
  }
}

function isSaving({ saving }: WorktreeState): boolean {
  return saving !== null
}

function isHopeless({ savingStarts }: WorktreeState): boolean {
  return savingStarts >= MAX_STARTS
}
