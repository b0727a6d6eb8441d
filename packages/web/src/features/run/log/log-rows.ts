import { debug, type Headline } from "@switchyard/core/work/headlines/headline"
import { headlineOf } from "@switchyard/core/work/headlines/headlines"
import { resultText } from "@switchyard/core/work/headlines/worktree-headlines"
import type { StudioEvent } from "../../../session/stream/event.ts"

const always: ReadonlySet<StudioEvent["type"]> = new Set([
  "run_created",
  "run_completed",
  "run_failed",
  "run_cancelled",
  "run_cancel_requested",
  "run_parked",
  "run_resumed",
  "run_relaunched",
  "node_started",
  "node_finished",
  "files_checked",
  "check_finished",
  "files_reviewed",
  "model_retried",
  "milestone",
  "user_message",
  "assistant_message",
  "progress",
  "runner_awaited",
  "agent_created",
  "agent_program_changed",
  "agent_closed",
  "agent_turn_started",
  "agent_turn_finished",
  "agent_retried",
  "agent_notice",
  "agent_refused",
  "agent_mode_changed",
  "agent_tool_allowed",
  "question_asked",
  "question_answered",
])

/** Whether the log shows the event without details: beginnings, ends, and problems. */
export function isSummary(event: StudioEvent): boolean {
  // An edit by hand belongs to no run: it is the reader's own, and worth a line.
  if (event.type === "workspace_committed") return event.run_id === undefined
  return always.has(event.type) || isWorktreeNews(event)
}

/** True for events of a worktree that are worth a line without details: results of commands, and failures. */
function isWorktreeNews(event: StudioEvent): boolean {
  switch (event.type) {
    case "worktree_command_finished":
      return event.error !== null || resultText(event) !== undefined
    // The agent's notice has reported the pending deletions already.
    case "worktree_command_expired":
    case "worktree_restored":
    case "deletions_settled":
      return true
    default:
      return false
  }
}

/** The headline of an event; of a type that this studio doesn't know, its name. */
export function rowOf(event: StudioEvent): Headline {
  return event.type === "unknown" ? debug("system", event.name) : headlineOf(event)
}
