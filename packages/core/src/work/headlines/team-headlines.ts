import type { PayloadRef } from "../../log/event.ts"
import { formatCount } from "../../text/format.ts"
import { debug, failure, firstLine, inlined, row, success, warning } from "./headline.ts"

interface OfNode {
  node_id: string
}

/** Headlines for events of a team and its board. */
export const teamHeadlines = {
  conversation_extended: () => debug("agent", "Conversation continued"),
  team_started: ({ goal }: { goal: string | PayloadRef }) => row("you", firstLine(inlined(goal) ?? "A long goal")),
  coordinator_joined: ({ model }: { model: string }) => row("agent", `${model} coordinates the team`),
  team_tool_called: ({ name }: { name: string }) => debug("agent", `The coordinator called ${name}`),
  team_tool_answered: ({ is_error }: { is_error: boolean }) =>
    debug("agent", is_error ? "Call refused" : "Call answered"),
  team_message_sent: ({ from, content }: { from: string; content: string | PayloadRef }) =>
    row(from === "human" ? "you" : "agent", firstLine(inlined(content) ?? "A long message")),
  team_paused: () => row("you", "Team paused"),
  team_stopped: () => row("you", "Team stopped"),
  team_resumed: () => row("you", "Team resumed"),
  team_finished: ({ summary, files }: { summary: string; files: readonly string[] }) =>
    success("agent", "Team finished", [formatCount(files.length, "file")], summary),
  team_files_read: ({ files }: { files: number }) =>
    debug("agent", "Repository files loaded", [formatCount(files, "file")]),
  team_merge_started: ({ worktrees }: { worktrees: readonly string[] }) =>
    row("agent", "Merging the team's work", [formatCount(worktrees.length, "worktree")]),
  team_merge_ended: ({ merged }: { merged: boolean }) =>
    merged ? row("agent", "Team's work merged") : failure("agent", "Some of the team's work couldn't be merged"),
  work_node_created: ({ node_id, task }: OfNode & { task: string }) => row("agent", `Node ${node_id} created: ${task}`),
  work_node_assigned: ({ node_id }: OfNode) => debug("agent", `Node ${node_id} assigned`),
  work_node_started: ({ node_id }: OfNode) => row("agent", `Node ${node_id} started`),
  work_node_checkpointed: ({ node_id, summary }: OfNode & { summary: string }) =>
    row("agent", `Node ${node_id}: ${summary}`),
  work_node_completed: ({ node_id, summary, files }: OfNode & { summary: string; files: readonly string[] }) =>
    success("agent", `Node ${node_id} completed`, [formatCount(files.length, "file")], summary),
  work_node_conflicted: ({ node_id, conflicts }: OfNode & { conflicts: readonly { path: string }[] }) =>
    warning(
      "agent",
      `Node ${node_id} conflicts with what others published`,
      [formatCount(conflicts.length, "file")],
      conflicts.map(({ path }) => path).join(", "),
    ),
  work_node_committed: ({ node_id, commit }: OfNode & { commit: string | null }) =>
    debug("agent", `Node ${node_id} committed`, commit === null ? [] : [commit.slice(0, 10)]),
  work_node_commit_refused: ({ node_id, reason }: OfNode & { reason: string }) =>
    failure("agent", `Node ${node_id} couldn't be committed`, [], reason),
  work_node_failed: ({ node_id, reason }: OfNode & { reason: string }) =>
    failure("agent", `Node ${node_id} failed`, [], reason),
  work_node_moved: ({ node_id, before }: OfNode & { before: string | null }) =>
    row("you", before === null ? `Node ${node_id} moved to the end` : `Node ${node_id} moved before ${before}`),
  work_node_reopened: ({ node_id }: OfNode) => row("agent", `Node ${node_id} reopened`),
  shell_command_requested: ({ node_id }: OfNode) => debug("agent", `Command of ${node_id} requested`),
  shell_command_started: ({ command }: OfNode & { command: string | PayloadRef }) =>
    debug("agent", `Running ${firstLine(inlined(command) ?? "a long command")}`),
  shell_command_finished: ({ ending, exit_code }: { ending: string; exit_code: number | null }) =>
    debug("agent", ending === "exited" ? `Ended with exit code ${exit_code}` : `Ended: ${ending.replaceAll("_", " ")}`),
  stage_started: ({ stage }: { stage: string }) => row("agent", `Stage ${stage} started`),
  stage_timed_out: ({ stage }: { stage: string }) => row("agent", `Stage ${stage} timed out`),
  stage_reconvened: ({ stage, assessment }: { stage: string; assessment: string }) =>
    row("agent", `Stage ${stage} completed: ${firstLine(assessment)}`),
  trigger_created: () => debug("agent", "Trigger created"),
  trigger_fired: ({ message }: { message: string }) => row("agent", `Trigger fired: ${firstLine(message)}`),
  trigger_cancelled: () => debug("agent", "Trigger cancelled"),
  worker_spawned: ({ name, role }: { name: string; role: string }) => row("agent", `${name} joined the team: ${role}`),
}
