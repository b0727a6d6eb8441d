import * as z from "zod"
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

/** A team: its coordinator's board, its workers, and what they say to one another. */
export const teamEvents = [
  event("team_started", "A team was given a goal.", {
    goal: large(z.string()),
    max_concurrent: z.int().positive().describe("The nodes that are worked on at once"),
    mode: TeamMode.optional(),
    repository: z.string().optional().describe("In which it works; absent for the session's own files"),
    commands: TeamCommands.optional().describe("Absent where nothing may be run"),
  }),
  event("coordinator_joined", "A program coordinates the team, as an agent of the session.", {
    coordinator_id: z.string().describe("The id of that agent"),
    worktree: WorktreeName,
    model: z.string(),
    worker_types: z.array(z.string()).describe("The programs that it may make workers of"),
  }),
  event("team_tool_called", "The program that coordinates called one of the team's tools.", {
    ...{ call_id: z.string(), name: z.string(), args: large(z.string()).describe("JSON") },
  }),
  event("team_tool_answered", "The team answered a call, in the batch of what it brought about.", {
    ...{ call_id: z.string(), answer: large(z.string()), is_error: z.boolean() },
  }),
  event("team_message_sent", "A member of a team, or a person, wrote to another.", {
    from: z.string().describe("The id of a worker, `coordinator` or `human`"),
    to: z.string().describe("The id of a worker, `coordinator`, `human` or `all`"),
    content: large(z.string()),
    suggestion: z.boolean().optional().describe("Whether it proposes what to do next"),
    key: z.string().optional().describe("Of the request that sent it: one that is repeated sends nothing"),
  }),
  event("team_paused", "The team begins nothing new; what is under way stops after its present step.", {}),
  event("team_stopped", "The team's workers were interrupted. A message resumes it.", {}),
  event("team_resumed", "The team goes on.", {}),
  event("team_finished", "The coordinator declared the goal reached; the published files are in the project.", {
    summary: z.string(),
    files,
  }),
  event("team_files_read", "The files of the repository were read on which the team's models build.", {
    worktree: WorktreeName.describe("The team's own, to which their results are committed"),
    ...{
      manifest: z.string(),
      files: z.int().nonnegative(),
      branch: z.string().nullable(),
      commit: z.string().nullable(),
    },
  }),
  event("team_merge_started", "The worktrees with completed nodes are being merged.", {
    train_run_id: z.string(),
    worktrees: z.array(WorktreeName),
  }),
  event("team_merge_ended", "The merges are made, or stopped at one that can't be.", { merged: z.boolean() }),
  event("work_node_created", "A piece of work was put on the board.", {
    ...node,
    task: z.string().describe("Its first line"),
    spec: large(z.string()).describe("The task, in full"),
    depends_on: z.array(NodeId),
    refs: z.record(z.string(), z.string()).describe("Files to read, by name"),
    parent: NodeId.optional().describe("The node whose worker asked for it"),
    stage: StageName.optional(),
    budget: WorkBudget.optional().describe("The most that its runs may use together"),
    checks: CheckCommands.optional().describe("The commands that must pass before it counts as completed"),
  }),
  event("stage_started", "A stage was begun by its first node.", {
    ...{ stage: StageName, ...StageContract.shape, checkpoint_policy: CheckpointPolicy },
  }),
  event("stage_timed_out", "The time of a stage is up: its coordinator reconvenes with what there is.", {
    stage: StageName,
    stopped: z.array(NodeId).describe("Its nodes that were under way, which have failed with that"),
  }),
  event("stage_reconvened", "The coordinator looked at the results of a stage, which is completed with that.", {
    ...{ stage: StageName, assessment: z.string() },
  }),
  event("work_node_assigned", "A worker was given a node. It begins when there is room.", {
    ...node,
    worker_id: z.string(),
  }),
  event("work_node_started", "A worker began a node, or goes on with one that was interrupted.", {
    ...node,
    worker_id: z.string(),
    node_run_id: z.string(),
  }),
  event("work_node_checkpointed", "A worker told how far it is.", { ...node, summary: z.string() }),
  event("work_node_completed", "A worker published its result.", {
    ...node,
    summary: z.string(),
    files: files.describe("Published ones; of a program's node, those that its worktree has changed"),
    worktree: WorktreeName.optional().describe("That has the result, where a program worked on it"),
    branch: z.string().nullable().optional(),
    verdict: Verdict.optional().describe("What the project's checks showed, where they were asked for"),
  }),
  event(
    "work_node_conflicted",
    "Others had published changes to the same files of the repository, so a worker's weren't published.",
    {
      ...node,
      round: z.int().nonnegative().describe("The place in the worker's conversation at which it was told"),
      conflicts: z.array(
        z.object({
          path: z.string(),
          by: NodeId.describe("The node that published another change"),
          own: z.string().nullable().describe("The SHA-256 of the worker's own; null where it deleted the file"),
        }),
      ),
    },
  ),
  event("work_node_committed", "The published changes of a node were committed to the team's worktree.", {
    ...node,
    worktree: WorktreeName,
    commit: z.string().nullable().describe("Null where the files were that way already"),
  }),
  event("work_node_commit_refused", "The published changes of a node could not be committed to the team's worktree.", {
    ...{ ...node, worktree: WorktreeName, reason: z.string() },
  }),
  event("work_node_failed", "A worker gave a node up.", { ...node, reason: z.string() }),
  event("work_node_moved", "A node that hasn't begun got another place in the order of the board.", {
    ...node,
    before: NodeId.nullable().describe("The node right after it; null for the end"),
  }),
  event("work_node_reopened", "A node that failed is to be done again.", {
    ...node,
    anew: z.boolean().optional().describe("Whether its worker forgets what it did before"),
  }),
  event("trigger_created", "A team got a trigger.", {
    ...trigger,
    when: TriggerWhen,
    action: TriggerAction,
    by: z.string().describe("The id of a worker, `coordinator` or `human`"),
    next_at: z.iso.datetime().nullable().describe("Null where it waits for something else than a time"),
  }),
  event("trigger_fired", "A trigger fired. It does so once for each time, event or delivery.", {
    ...trigger,
    firing: z.int().positive().describe("Of this trigger, counted from one"),
    due_at: z.iso.datetime().optional(),
    missed: z.int().nonnegative().describe("The times or events that passed, and that this firing catches up with"),
    next_at: z.iso.datetime().nullable(),
    to: z.string().describe("The member that is told; `human` where a webhook is"),
    message: z.string(),
    delivery_id: z.string().optional(),
    payload: large(z.string()).optional().describe("What a webhook was sent"),
  }),
  event("trigger_cancelled", "A trigger fires no more.", { ...trigger }),
  event("worker_spawned", "A worker joined the team.", {
    worker_id: z.string(),
    name: z.string(),
    role: z.string(),
    worker_type: z.string().describe("`harnessed`, `autonomous` for a command, or the program that it is"),
    command: z.string().optional().describe("Where it is one"),
    command_limits: z
      .object({ timeout_seconds: z.int().positive(), network: z.boolean() })
      .optional()
      .describe("Of that command"),
    worktree: WorktreeName.optional().describe("Of a program: the session's worktree that it works in"),
    model: z.string(),
    max_iterations: z.int().positive().describe("Model calls for one node"),
  }),
] as const
