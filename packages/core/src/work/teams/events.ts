import * as z from "zod"
import { PermissionMode } from "../../agents/permissions/schema.ts"
import { ImageRef } from "../../files/images/schema.ts"
import { WorktreeName } from "../../files/worktrees/names-schema.ts"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { WorkBudget } from "../../people/budget/schema.ts"
import { CheckCommands, Verdict } from "../gate/schema.ts"
import { CheckpointPolicy, NodeId, StageContract, StageName, TeamCommands, TeamMode } from "./schema.ts"
import { TriggerAction, TriggerWhen } from "./trigger-schema.ts"

const node = { node_id: NodeId }
const trigger = { trigger_id: z.string() }
const files = z.array(z.string())

/** Team events: the board, the workers, and their messages. */
export const teamEvents = [
  event("team_started", "A team received a goal.", {
    goal: large(z.string()),
    images: z.array(ImageRef).optional().describe("Images that belong to the goal"),
    max_concurrent: z.int().positive().describe("Maximum concurrent nodes"),
    mode: TeamMode.optional(),
    permission_mode: PermissionMode.optional(),
    repository: z.string().optional().describe("Repository the team works in; absent for the session's own files"),
    commands: TeamCommands.optional().describe("Absent if no commands may run"),
  }),
  event("coordinator_joined", "A program joined as the team's coordinator, as an agent in the session.", {
    coordinator_id: z.string().describe("Id of the program's agent"),
    worktree: WorktreeName,
    model: z.string(),
    worker_types: z.array(z.string()).describe("Programs it may add as workers"),
  }),
  event("team_tool_called", "The coordinating program called a team tool.", {
    ...{ call_id: z.string(), name: z.string(), args: large(z.string()).describe("JSON") },
  }),
  event("team_tool_answered", "The team answered a tool call, in the same batch as its effects.", {
    ...{ call_id: z.string(), answer: large(z.string()), is_error: z.boolean() },
  }),
  event("team_message_sent", "A team member or a person sent a message.", {
    from: z.string().describe("Id of a worker, `coordinator` or `human`"),
    to: z.string().describe("Id of a worker, `coordinator`, `human` or `all`"),
    content: large(z.string()),
    suggestion: z.boolean().optional().describe("True if the message suggests what to do next"),
    key: z.string().optional().describe("Idempotency key of the request that sent it"),
  }),
  event("team_paused", "The team doesn't start anything new; running work stops after the current step.", {}),
  event("team_stopped", "The team's workers were interrupted. A message resumes it.", {}),
  event("team_resumed", "The team continues.", {}),
  event(
    "team_finished",
    "The coordinator declared that the goal has been reached. The published files are in the project.",
    {
      summary: z.string(),
      files,
    },
  ),
  event("team_files_read", "The repository's files were read for the team's models.", {
    worktree: WorktreeName.describe("The team's own worktree, where results are committed"),
    ...{
      manifest: z.string(),
      files: z.int().nonnegative(),
      branch: z.string().nullable(),
      commit: z.string().nullable(),
    },
  }),
  event("team_merge_started", "The worktrees of completed nodes are being merged.", {
    train_run_id: z.string(),
    worktrees: z.array(WorktreeName),
  }),
  event("team_merge_ended", "The merges finished, or stopped at a failed merge.", { merged: z.boolean() }),
  event("work_node_created", "A node was added to the board.", {
    ...node,
    task: z.string().describe("First line of the task"),
    spec: large(z.string()).describe("Complete task"),
    depends_on: z.array(NodeId),
    refs: z.record(z.string(), z.string()).describe("Files to read, by name"),
    parent: NodeId.optional().describe("Node whose worker requested it"),
    stage: StageName.optional(),
    budget: WorkBudget.optional().describe("Limit for all runs of the node together"),
    checks: CheckCommands.optional().describe("Commands that must pass before it completes"),
  }),
  event("stage_started", "The first node of a stage was created.", {
    ...{ stage: StageName, ...StageContract.shape, checkpoint_policy: CheckpointPolicy },
  }),
  event("stage_timed_out", "A stage timed out. The coordinator reviews the results so far.", {
    stage: StageName,
    stopped: z.array(NodeId).describe("The stage's unfinished nodes, which have failed"),
  }),
  event("stage_reconvened", "The coordinator reviewed the results of a stage, which completed the stage.", {
    ...{ stage: StageName, assessment: z.string() },
  }),
  event("work_node_assigned", "A node was assigned to a worker. It starts as soon as `max_concurrent` allows.", {
    ...node,
    worker_id: z.string(),
  }),
  event("work_node_started", "A worker started a node, or continued an interrupted one.", {
    ...node,
    worker_id: z.string(),
    node_run_id: z.string(),
  }),
  event("work_node_checkpointed", "A worker reported its progress.", { ...node, summary: z.string() }),
  event("work_node_completed", "A worker published its result.", {
    ...node,
    summary: z.string(),
    files: files.describe("Published files; for a program, the changed files in its worktree"),
    worktree: WorktreeName.optional().describe("Worktree with the result, if a program worked on it"),
    branch: z.string().nullable().optional(),
    verdict: Verdict.optional().describe("Result of the project's checks, if requested"),
  }),
  event(
    "work_node_conflicted",
    "A worker's changes weren't published, because other workers had changed the same files in the repository.",
    {
      ...node,
      round: z.int().nonnegative().describe("Position in the worker's conversation"),
      conflicts: z.array(
        z.object({
          path: z.string(),
          by: NodeId.describe("Node that published a conflicting change"),
          own: z.string().nullable().describe("SHA-256 of the worker's own version; null if it deleted the file"),
        }),
      ),
    },
  ),
  event("work_node_committed", "A node's published changes were committed to the team's worktree.", {
    ...node,
    worktree: WorktreeName,
    commit: z.string().nullable().describe("Null if nothing changed"),
  }),
  event("work_node_commit_refused", "A node's published changes couldn't be committed to the team's worktree.", {
    ...{ ...node, worktree: WorktreeName, reason: z.string() },
  }),
  event("work_node_failed", "A worker gave up on a node.", { ...node, reason: z.string() }),
  event("work_node_moved", "A node that hasn't started was moved on the board.", {
    ...node,
    before: NodeId.nullable().describe("Node that now follows; null if moved to the end"),
  }),
  event("work_node_reopened", "A node was reopened, to be done again.", {
    ...node,
    anew: z.boolean().optional().describe("True if the worker starts over, without its earlier conversation"),
  }),
  event("trigger_created", "A trigger was added to a team.", {
    ...trigger,
    when: TriggerWhen,
    action: TriggerAction,
    by: z.string().describe("Id of a worker, `coordinator` or `human`"),
    next_at: z.iso.datetime().nullable().describe("Null unless the trigger is waiting for a time"),
  }),
  event("trigger_fired", "A trigger fired. There is one firing per time, event or delivery.", {
    ...trigger,
    firing: z.int().positive().describe("Number of the firing, 1-based"),
    due_at: z.iso.datetime().optional(),
    missed: z.int().nonnegative().describe("Missed times or events that this firing covers"),
    next_at: z.iso.datetime().nullable(),
    to: z.string().describe("Recipient; `human` for a webhook"),
    message: z.string(),
    delivery_id: z.string().optional(),
    payload: large(z.string()).optional().describe("Webhook payload"),
  }),
  event("trigger_cancelled", "A trigger was cancelled.", { ...trigger }),
  event("worker_spawned", "A worker joined the team.", {
    worker_id: z.string(),
    name: z.string(),
    role: z.string(),
    worker_type: z.string().describe("`harnessed` for a model, `autonomous` for a command, or the name of the program"),
    command: z.string().optional().describe("The command, if the worker is a command"),
    command_limits: z
      .object({ timeout_seconds: z.int().positive(), network: z.boolean() })
      .optional()
      .describe("Limits of the command"),
    worktree: WorktreeName.optional().describe("The worktree, if the worker is a program"),
    model: z.string(),
    max_iterations: z.int().positive().describe("Maximum model calls per node"),
  }),
] as const
