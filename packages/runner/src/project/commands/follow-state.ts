import type { LogEvent } from "@switchyard/core/events"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import { endsRun } from "@switchyard/core/work/runs/schema"

/**
 * Work that is due: to run a command, to announce a worktree, to look at it because a tool may have changed it, or to
 * save the work after a turn or run.
 */
export type Due = "command" | "start" | "look" | "turn" | "run"

/** Event fields that determine which work is due. */
type Followed = Pick<LogEvent, "type"> & { run_id?: string | null; worktree?: string }

/**
 * Creates a function that receives the session's events in order. For each event, it returns the work that is now due
 * in one worktree. `worktreeOfRun` finds the worktree of a run that was created earlier. The function has no side
 * effects.
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
    if (event.type === "tool_call_finished") return "look"
    if (event.type !== "agent_turn_started") return undefined
    if (!isTurnOver) return "start"
    // The work of a turn is saved when the next turn begins. The task itself saves the work of its last turn, together
    // with its commit.
    isTurnOver = false
    return "turn"
  }
}
