import type { EventType } from "../../events.ts"
import type { TeamEvent } from "./request-schema.ts"

/** Names under which events are sent to a team's clients. Other types of events aren't sent. */
const NAMES = {
  team_started: "agent.started",
  team_finished: "agent.completed",
  team_paused: "agent.paused",
  team_stopped: "agent.stopped",
  team_resumed: "agent.resumed",
  work_node_created: "node.created",
  work_node_assigned: "node.assigned",
  work_node_started: "node.started",
  work_node_checkpointed: "node.checkpoint",
  work_node_completed: "node.completed",
  work_node_conflicted: "node.conflicted",
  work_node_committed: "node.committed",
  work_node_commit_refused: "node.commit_refused",
  work_node_failed: "node.failed",
  work_node_moved: "node.moved",
  work_node_reopened: "node.reopened",
  stage_started: "stage.started",
  stage_timed_out: "stage.timed_out",
  stage_reconvened: "stage.reconvened",
  worker_spawned: "worker.spawned",
  team_message_sent: "message.sent",
  question_asked: "human.question",
  question_answered: "human.response",
  tool_call_started: "tool.called",
  tool_call_finished: "tool.result",
  trigger_created: "trigger.created",
  trigger_fired: "trigger.fired",
  trigger_cancelled: "trigger.cancelled",
} as const satisfies Partial<Record<EventType, string>>

/** Types of the session events sent to a team's clients. */
export const TEAM_EVENT_TYPES: ReadonlySet<string> = new Set(Object.keys(NAMES))

/** Converts an event for clients. Returns undefined if events of this type aren't sent to clients. */
export function toTeamEvent(teamId: string, event: { seq: number; type: string; ts: string }): TeamEvent | undefined {
  const { seq, type, ts, ...data } = event
  if (!Object.hasOwn(NAMES, type)) return undefined
  return { seq, type: NAMES[type as keyof typeof NAMES], agent_id: teamId, ts, data }
}
