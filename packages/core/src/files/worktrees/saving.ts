import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"

type Saved = Pick<SessionState, "worktree">

/** So many runners may come and go without saving one file: the next would fare no better. */
const MAX_STARTS = 5

/** The end of a save that is given up. */
export const SAVING_GIVEN_UP: NewEvent[] = [
  { type: "workspace_save_progressed", saved: 0, total: 0 },
  {
    type: "agent_notice",
    text: "Some files could not be saved among the session's. They are in the worktree, and tried again with the next task.",
  },
]

/** True while files of the worktree wait for a runner to save them. */
export function awaitsSaving({ worktree }: Saved): boolean {
  return worktree.saving !== null && worktree.savingStarts < MAX_STARTS
}

/** Gives up saving, for everybody to see, where too many runners were lost while they saved. */
export function endHopelessSaving(gone: string | null): Rule {
  return (state) => (awaitsSaving(state) ? [] : endSaving(gone)(state))
}

/** Gives up saving where no runner can be had; `gone` is one that is known to be gone. */
export function endSaving(gone: string | null): Rule {
  return ({ worktree, runner }) => {
    const isServed = runner.executor !== null && runner.executor !== gone
    return worktree.saving === null || isServed ? [] : SAVING_GIVEN_UP
  }
}
