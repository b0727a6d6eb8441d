import type { LogEvent } from "@switchyard/core/events"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import { endsRun } from "@switchyard/core/work/runs/schema"

/** A command to execute, or work to save: that of a turn, or that of a run. */
export type Due = "command" | "turn" | "run"

/** The fields of an event that decide. */
type Followed = Pick<LogEvent, "type"> & { run_id?: string | null; worktree?: string }

/**
 * Decides from the events of the session's log, in their order, what is due in one worktree. Runs of which no `run_created`
 * was among them are looked up. Pure.
 */
export function createFollowState(
  worktree: string,
  worktreeOfRun: (runId: string) => string | undefined,
): (event: Followed) => Due | undefined {
  const created = new Map<string, string>()
  let isTurnOver = false

  function isHere(event: Followed): boolean {
    if (event.type === "worktree_command_requested") return (event.worktree ?? MAIN_WORKTREE) === worktree
    if (!event.run_id) return false
    if (event.type === "run_created") created.set(event.run_id, event.worktree ?? MAIN_WORKTREE)
    return (created.get(event.run_id) ?? worktreeOfRun(event.run_id) ?? MAIN_WORKTREE) === worktree
  }

  return (event) => {
    if (!isHere(event)) return undefined
    if (event.type === "worktree_command_requested") return "command"
    if (endsRun(event)) {
      isTurnOver = false
      return "run"
    }
    if (event.type === "agent_turn_finished") isTurnOver = true
    if (event.type !== "agent_turn_started" || !isTurnOver) return undefined
    // A turn is saved once another one begins: the task itself saves the last one, with what it commits.
    isTurnOver = false
    return "turn"
  }
}
