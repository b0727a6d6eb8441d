import type { EventOf, LogEvent } from "../../../events.ts"
import { formatCount } from "../../../text/format.ts"
import { COORDINATOR, HUMAN } from "../schema.ts"
import { stagesMetAt, stageText } from "../stages.ts"
import { endReason, nodeOfRun, nodeOfWorker, nodesIn, nodesOf, type TeamState, type WorkNode } from "../state.ts"
import { firedText } from "../triggers/trigger-texts.ts"

/** Describes the board to a coordinator. */
export function boardText(team: TeamState): string {
  const nodes = nodesOf(team).map((node) => nodeLine(team, node))
  const workers = Object.values(team.workers).map(({ workerId, name, role, model }) => {
    const at = nodeOfWorker(team, workerId)
    return `- ${name} (${workerId}, ${model}): ${role}. ${at ? `Works on ${at.nodeId}` : "Idle"}`
  })
  const section = (title: string, lines: string[]) => `${title}:\n${lines.length > 0 ? lines.join("\n") : "- none"}`
  const stages = team.stages.map((stage) => stageText(team, stage))
  return [section("Nodes", nodes), ...stages, section("Workers", workers)].join("\n\n")
}

const MAX_PLANNED = 60

/** Describes all nodes and their workers to a worker. */
export function planText(team: TeamState, own: string): string {
  const all = nodesOf(team)
  // If the board is long, show only the newest nodes, which are the most relevant.
  const lines = all.slice(-MAX_PLANNED).map((node) => `${nodeLine(team, node)}${node.nodeId === own ? " (yours)" : ""}`)
  return `The nodes of the team:\n${lines.join("\n")}`
}

function nodeLine(team: TeamState, { nodeId, task, status, dependsOn, workerId, fileCount }: WorkNode): string {
  const by = workerId === null ? "" : ` (${nameOf(team, workerId)})`
  const after = dependsOn.length === 0 ? "" : `; after ${dependsOn.join(", ")}`
  const files = status === "completed" ? `; ${formatCount(fileCount, "file")} in nodes/${nodeId}/published` : ""
  return `- ${nodeId} [${status}]${by}: ${task}${after}${files}`
}

/** Returns a member's display name. */
function nameOf(team: TeamState, member: string): string {
  if (member === HUMAN || member === COORDINATOR) return member
  return team.workers[member]?.name ?? member
}

/** Describes an event to a team member. */
export function newsText(team: TeamState, event: LogEvent): string {
  return [eventText(team, event), ...stagesMetAt(team, event.seq)].join("\n\n")
}

function eventText(team: TeamState, event: LogEvent): string {
  switch (event.type) {
    case "team_started":
      return `The goal:\n\n${event.goal}`
    case "team_message_sent":
      return `${event.suggestion ? "Suggestion" : "Message"} from ${nameOf(team, event.from)}:\n${event.content}`
    case "work_node_completed":
      return `${event.node_id} is completed. ${event.summary}\nPublished: ${event.files.join(", ")}`
    case "work_node_failed":
      return `${event.node_id} failed. ${event.reason}${notesText(team, event)}`
    case "work_node_commit_refused":
      return `The result of ${event.node_id} could not be committed to the team's worktree ${event.worktree}: ${event.reason} finish tries it again. Ask a person to look at that worktree if it doesn't help.`
    case "work_node_moved":
      return orderText(team)
    case "stage_timed_out":
      return `The time limit of the stage ${event.stage} has passed. ${stoppedText(event.stopped)}`
    case "trigger_fired":
      return firedText(event)
    case "team_resumed":
      return `The team was stopped, and is now resumed. The board:\n\n${boardText(team)}`
    default:
      return endText(team, event)
  }
}

function orderText(team: TeamState): string {
  const ids = nodesIn(team, "pending", "assigned").map(({ nodeId }) => nodeId)
  return `A person changed the order of the nodes that haven't begun. Assign ready nodes in this order: ${ids.join(", ")}.`
}

/**
 * Returns a reference to a failed node's notes. Empty if the node was failed by the team's run, because only workers
 * write notes.
 */
function notesText({ runId }: TeamState, { run_id, node_id }: EventOf<"work_node_failed">): string {
  return run_id === runId ? "" : `\nIts notes are in nodes/${node_id}/failure_notes.md.`
}

function stoppedText(stopped: readonly string[]): string {
  if (stopped.length === 0) return "None of its nodes was running."
  return `Stopped nodes: ${stopped.join(", ")}. Retry them with retry_node if they are worth more time.`
}

function endText(team: TeamState, event: LogEvent): string {
  const node = event.run_id && nodeOfRun({ team }, event.run_id)
  const name = node ? node.nodeId : "A run"
  return `${name} ${event.type === "run_cancelled" ? "was cancelled" : "failed"}. ${endReason(event)}`
}
