import type { SessionState } from "../state.ts"
import { runKinds } from "../work/runs/kinds.ts"
import { isEnded, type RunState } from "../work/runs/state.ts"
import type { BoardColumn, SessionStatus } from "./schema.ts"

/**
 * Returns the session's column on the studio's board:
 *
 * - `needs_you`: the session waits for a person, because it has an open question or its run is paused.
 * - `working`: a run is active, or will continue by itself later.
 * - `review`: since a person last opened the session, a run has failed or has left changes that aren't merged.
 * - `done`: everything else. A review ends when a person opens the session, merges its changes or archives it.
 */
export function boardColumn(state: SessionState, status: SessionStatus): BoardColumn {
  if (status === "needs_input") return "needs_you"
  if (status === "busy" || status === "waiting") return "working"
  return isReadyToReview(state) ? "review" : "done"
}

/** True if a run has ended since a person last opened the session. */
export function isUnseen(state: SessionState): boolean {
  const last = lastEnded(state)
  return last !== undefined && (last.lastSeq ?? 0) > (state.session.viewedSeq ?? 0)
}

function isReadyToReview(state: SessionState): boolean {
  if (state.session.archived || !isUnseen(state)) return false
  const { viewedSeq = 0 } = state.session
  const hasNewFiles = (state.workspace.runCommitSeq ?? 0) > viewedSeq
  const hasUnmerged = Object.values(state.worktrees.byName).some(({ exists, hasChanges }) => exists && hasChanges)
  return hasNewFiles || hasUnmerged || lastEnded(state)?.status === "failed"
}

/** Returns the run that ended last, ignoring runs that only support other runs. */
function lastEnded({ runs }: SessionState): RunState | undefined {
  const ended = Object.values(runs.byId).filter((run) => isEnded(run) && !runKinds[run.kind].isSupporting)
  return ended.reduce<RunState | undefined>(
    (last, run) => ((run.lastSeq ?? 0) > (last?.lastSeq ?? 0) ? run : last),
    undefined,
  )
}
