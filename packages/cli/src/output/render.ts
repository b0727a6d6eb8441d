import type { EventType, SessionEvent } from "@switchyard/core/events"
import type { Headline } from "@switchyard/core/work/headlines/headline"
import { headlineOf } from "@switchyard/core/work/headlines/headlines"
import { isRest } from "@switchyard/core/work/headlines/run-headlines"

/** One line about an event. The text is untrusted, so only a `Terminal` may print it. */
export interface Line {
  who: string
  text: string
  tone: "plain" | "quiet" | "good" | "bad"
}

/**
 * Types of events that are shown as a line. The model's text is shown in the status line instead, and the agents' other
 * work in their terminals.
 */
const SHOWN: ReadonlySet<EventType> = new Set([
  "session_deleted",
  "run_created",
  "run_relaunched",
  "runner_awaited",
  "run_claimed",
  "run_handed_over",
  "run_parked",
  "run_resumed",
  "run_cancel_requested",
  "run_completed",
  "run_failed",
  "run_cancelled",
  "node_started",
  "node_finished",
  "files_checked",
  "check_finished",
  "review_started",
  "review_finished",
  "verification_attempt",
  "files_reviewed",
  "model_retried",
  "model_replaced",
  "answer_rejected",
  "tool_call_started",
  "workspace_committed",
  "team_message_sent",
  "team_paused",
  "team_stopped",
  "team_resumed",
  "team_finished",
  "work_node_created",
  "work_node_started",
  "work_node_checkpointed",
  "work_node_completed",
  "work_node_failed",
  "work_node_moved",
  "work_node_reopened",
  "stage_started",
  "stage_reconvened",
  "trigger_fired",
  "worker_spawned",
  "agent_created",
  "agent_closed",
  "agent_turn_started",
  "agent_turn_finished",
  "agent_retried",
  "provider_switched",
  "agent_refused",
  "question_asked",
  "question_answered",
  "progress",
  "milestone",
])

const TONES = { debug: "quiet", info: "plain", success: "good", warn: "bad", error: "bad" } satisfies Record<
  Headline["severity"],
  Line["tone"]
>

/** Returns the line that shows an event. Undefined if the event is only for programs, or repeats known information. */
export function render(event: SessionEvent): Line | undefined {
  const failed = event.type === "tool_call_finished" && event.exit_code
  if (!failed && (!SHOWN.has(event.type) || isRest(event))) return undefined
  const { who, severity, text, meta, hint } = headlineOf(event)
  const sentence = hint ? `${text}${/[.!?]$/.test(text) ? " " : ": "}${hint}` : text
  return { who, text: [sentence, meta.join(" · ")].filter(Boolean).join("  "), tone: failed ? "bad" : TONES[severity] }
}
