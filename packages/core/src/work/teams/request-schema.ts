import * as z from "zod"
import { PermissionMode } from "../../agents/permissions/schema.ts"
import { agentFields, Repository } from "../../agents/tasks/schema.ts"
import { ImageRef, RequestImages } from "../../files/images/schema.ts"
import { WorkBudgetChange, WorkBudgetStatus } from "../../people/budget/schema.ts"
import { charLimit } from "../../text/text-limits-schema.ts"
import { CheckCommands, CheckResult, Verdict } from "../gate/schema.ts"
import { CommandEnding } from "../shell-commands/schema.ts"
import {
  CheckpointPolicy,
  MAX_CONCURRENT,
  NodeId,
  StageName,
  StageStatus,
  TeamMode,
  TeamStatus,
  WorkerCommand,
  WorkNodeStatus,
} from "./schema.ts"
import { TeamTrigger } from "./trigger-schema.ts"

const CodingAgent = agentFields.coding_agent

/** Text limited to the length of a goal. */
const Goal = z
  .string()
  .trim()
  .min(1)
  .max(...charLimit("goal"))

export const NewTeam = z
  .object({
    goal: Goal,
    images: RequestImages.nullish(),
    model: z
      .string()
      .max(200)
      .nullish()
      .describe(
        "Model of the coordinator and its workers; with a value such as `claude-code/opus`, a program coordinates",
      ),
    coordinator: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe(
        "Program that coordinates instead of a model: a name as in `coding_agents`, or with a model, such as `codex/gpt-5`",
      ),
    workspace_id: z.string().max(200).nullish().describe("Session for the team; by default a new one"),
    max_concurrent: z.int().min(1).max(MAX_CONCURRENT).default(MAX_CONCURRENT).describe("Maximum concurrent nodes"),
    mode: TeamMode.default("finite").describe(
      "With `infinite`, the team continues after its goal is reached, woken by triggers and messages",
    ),
    api_key: z.string().max(500).nullish(),
    budget: WorkBudgetChange.nullish().describe(
      "Limit for the team's whole session; when it is used up, a person is asked",
    ),
    coding_agents: z
      .array(CodingAgent)
      .max(10)
      .default([])
      .describe("Programs that may be workers: account names, or agent ids whose key is in the server's environment"),
    project_path: Repository.nullish().describe(
      "Repository the team works in and where models' results are committed; by default the session's",
    ),
    permission_mode: PermissionMode.default("bypass").describe("What programs and models may do without asking"),
    worker_commands: z
      .array(WorkerCommand)
      .max(10)
      .default([])
      .describe("Commands that may be workers, besides models and programs; their tasks are passed as files"),
    verify: z
      .boolean()
      .nullish()
      .describe("True if nodes complete only after the project's own checks pass; default: the repository's setting"),
    consent: z
      .boolean()
      .default(false)
      .describe(
        "Allows programs to work in the repository without asking, and checks and worker commands to run; needed once, and only on a local server",
      ),
  })
  .meta({ id: "NewTeam" })
export type NewTeam = z.infer<typeof NewTeam>

export const Team = z
  .object({
    id: z.string().describe("Id of the team's session"),
    run_id: z.string(),
    goal: z.string(),
    mode: TeamMode,
    permission_mode: PermissionMode.nullable().describe(
      "What its programs and models may do without asking; null for teams that were started before this was recorded",
    ),
    status: TeamStatus,
    model: z.string(),
    coordinator: z.string().nullable().describe("Program that coordinates; null if a model does"),
    coordinator_id: z.string().nullable().describe("Agent id of that program"),
    node_count: z.int(),
    worker_count: z.int(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Team" })
export type Team = z.infer<typeof Team>

export const Teams = z
  .object({ teams: z.array(Team), next: z.string().nullable().describe("Cursor of the next page") })
  .meta({ id: "Teams" })

const BoardNode = z
  .object({
    id: z.string(),
    task: z.string(),
    status: WorkNodeStatus,
    dependencies: z.array(z.string()),
    assigned_worker: z.string().nullable(),
    parent_node: z.string().nullable(),
    run_id: z.string().nullable().describe("Current or last run of the node"),
    result: z.string().nullable().describe("Summary or failure reason"),
    published_files: z.array(z.string()),
    checks: CheckCommands.nullable().describe("Commands that must pass before the node completes"),
    budget: WorkBudgetStatus.describe("The node's budget and how much of it is used"),
  })
  .meta({ id: "BoardNode" })

const TeamWorker = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.string(),
    type: z.string().describe("`harnessed` for a model, `autonomous` for a command, or the name of the program"),
    command: z.string().nullable().describe("The command, if the worker is a command"),
    model: z.string(),
    status: z.enum(["idle", "busy", "waiting_for_human"]),
    node_id: z.string().nullable(),
    used: WorkBudgetStatus.shape.used.describe(
      "Usage of the nodes that are assigned to the worker or were last assigned to it",
    ),
  })
  .meta({ id: "TeamWorker" })

const NodeCommand = z
  .object({
    command: z.string(),
    started_at: z.iso.datetime(),
    ending: CommandEnding.nullable().describe("Null while it runs"),
    exit_code: z.int().nullable(),
    duration_ms: z.number().nullable(),
  })
  .meta({ id: "NodeCommand" })
export type NodeCommand = z.infer<typeof NodeCommand>

export const BoardNodeInFull = BoardNode.extend({
  spec: z.string().describe("Complete task"),
  verdict: Verdict.nullable().describe("Result of the node's checks, once it is completed"),
  check_results: z.array(CheckResult).describe("Results of the node's last checks, passed or not"),
  commands: z.array(NodeCommand).describe("Last commands run by the node's worker, if it is a model, newest last"),
}).meta({ id: "BoardNodeInFull" })

export const TeamWorkers = z.array(TeamWorker).meta({ id: "TeamWorkers" })

const TeamStage = z
  .object({
    name: z.string(),
    status: StageStatus,
    checkpoint_policy: CheckpointPolicy,
    nodes: z.array(z.string()).describe("Ids of the stage's nodes"),
  })
  .meta({ id: "TeamStage" })

const TeamCommand = z
  .object({ name: z.string(), command: z.string(), timeout_seconds: z.int(), network: z.boolean() })
  .meta({ id: "TeamCommand" })

export const Board = z
  .object({
    ...{ team: Team, nodes: z.array(BoardNode), workers: z.array(TeamWorker), stages: z.array(TeamStage) },
    current_stage: z.string().nullable().describe("A stage waiting for review, or else the first uncompleted one"),
    budget: WorkBudgetStatus.describe("The session's budget and usage, which includes all members"),
    coordinator_used: WorkBudgetStatus.shape.used.describe("Usage of the coordinator's own run"),
    worker_commands: z.array(TeamCommand).describe("Commands that may be added as workers"),
    triggers: z.array(TeamTrigger).describe("All triggers, including ended ones, oldest first"),
  })
  .meta({ id: "Board" })
export type Board = z.infer<typeof Board>

export const NewTeamNode = z
  .object({
    task: Goal,
    id: NodeId.optional().describe("By default numbered, such as `node-1`"),
    dependencies: z.array(z.string().max(100)).max(30).default([]).describe("Nodes that must be completed first"),
    stage: StageName.optional(),
    budget: WorkBudgetChange.optional(),
    checks: CheckCommands.optional().describe(
      "Commands that must pass before the node completes, in a clean copy of the project with the node's files",
    ),
  })
  .meta({ id: "NewTeamNode" })

export const NewTeamWorker = z
  .object({
    name: z.string().trim().min(1).max(40),
    role: z.string().trim().min(1).max(500),
    max_iterations: z.int().min(1).max(100).default(20).describe("Maximum model calls per node"),
    command: z
      .string()
      .max(40)
      .optional()
      .describe("Name of a worker command of the team; by default the worker is a model"),
  })
  .meta({ id: "NewTeamWorker" })

export const NodeAssignment = z
  .object({ worker: z.string().min(1).max(100).describe("Name or id of the worker") })
  .meta({ id: "NodeAssignment" })

export const NodeMove = z
  .object({
    before: z.string().max(100).nullable().describe("Node before which to insert it; null for the end of the board"),
  })
  .meta({ id: "NodeMove" })

export const TeamHalted = Board.extend({
  id: z.string(),
  status: z.enum(["paused", "resumed", "stopped"]).describe("The change made"),
}).meta({ id: "TeamHalted" })

export const TeamWritten = Board.extend({
  id: z.string(),
  status: z.literal("sent"),
  to: z.string(),
  message: z.string(),
}).meta({ id: "TeamWritten" })

/** A folder or file in a team's session. */
export const BrowsedFiles = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("dir"),
      path: z.string(),
      entries: z.array(
        z.discriminatedUnion("type", [
          z.object({ name: z.string(), type: z.literal("dir") }),
          z.object({ name: z.string(), type: z.literal("file"), size: z.int().describe("Bytes") }),
        ]),
      ),
    }),
    z.object({ type: z.literal("file"), path: z.string(), content: z.string() }),
  ])
  .meta({ id: "BrowsedFiles" })
export type BrowsedFiles = z.infer<typeof BrowsedFiles>

/** A team's tools by category. */
export const TOOL_CATEGORIES = {
  work: ["publish", "checkpoint", "create_work_node", "suggest_next"],
  messages: ["send_message", "check_messages", "ask_human"],
  files: [
    "read_file",
    "search_files",
    "write_file",
    "edit_file",
    "delete_file",
    "rename_file",
    "list_files",
    "read_ref",
    "bash",
  ],
  web: ["web_search", "web_fetch"],
  memory_and_time: ["memory_write", "memory_read", "memory_search", "schedule", "list_triggers", "cancel_trigger"],
  coordination: ["assign_worker", "spawn_worker", "check_board", "retry_node", "reconvene", "finish"],
} as const

export const TeamTools = z
  .array(
    z.object({
      category: z.enum(Object.keys(TOOL_CATEGORIES) as (keyof typeof TOOL_CATEGORIES)[]),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          coordinator: z.boolean().describe("True if the coordinator has the tool"),
          worker: z.boolean().describe("True if workers have the tool"),
        }),
      ),
    }),
  )
  .meta({ id: "TeamTools" })
export type TeamTools = z.infer<typeof TeamTools>

export const TeamMessages = z
  .object({
    messages: z.array(
      z.object({
        seq: z.int().positive(),
        ts: z.string(),
        from: z.string().describe("Id of a worker, `coordinator` or `human`"),
        to: z.string().describe("Id of a worker, `coordinator`, `human` or `all`"),
        content: z.string(),
        images: z.array(ImageRef).optional().describe("Images that belong to the goal"),
        kind: z.enum(["goal", "message", "suggestion", "trigger", "report"]),
      }),
    ),
  })
  .meta({ id: "TeamMessages" })
export type TeamMessages = z.infer<typeof TeamMessages>

export const TeamConversation = z
  .array(
    z.object({
      role: z.string().describe("Author of the message"),
      to: z.string(),
      content: z.string(),
      ts: z.string(),
    }),
  )
  .meta({ id: "TeamConversation" })

/** An event as sent to clients of a team. */
export const TeamEvent = z
  .object({
    seq: z.int().positive(),
    type: z.string().describe("For example `node.completed`"),
    agent_id: z.string().describe("Id of the team"),
    ts: z.string(),
    data: z.record(z.string(), z.unknown()).describe("Other fields of the session event"),
  })
  .meta({ id: "TeamEvent" })
export type TeamEvent = z.infer<typeof TeamEvent>

export const TeamAnswer = z
  .object({
    response: z
      .string()
      .trim()
      .min(1)
      .max(...charLimit("answer"))
      .describe("Answer text; for permission questions, `allow`, `allow_session`, `allow_all` or `deny`"),
    question_id: z.string().max(100).optional().describe("Required if several questions are waiting"),
  })
  .meta({ id: "TeamAnswer" })

export const MemorySections = z
  .object({
    sections: z.array(
      z.object({
        path: z.string(),
        heading: z.string().describe("Empty for text before the first heading"),
        text: z.string(),
      }),
    ),
  })
  .meta({ id: "MemorySections" })

export const TeamMessage = z
  .object({
    message: Goal,
    to: z.string().max(100).default("coordinator").describe("A worker's name, `coordinator` or `all`"),
  })
  .meta({ id: "TeamMessage" })
