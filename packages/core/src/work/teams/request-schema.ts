import * as z from "zod"
import { PermissionMode } from "../../agents/permissions/schema.ts"
import { agentFields, Repository } from "../../agents/tasks/schema.ts"
import { WorkBudgetChange, WorkBudgetStatus } from "../../people/budget/schema.ts"
import { charLimit } from "../../text-limits-schema.ts"
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

export const NewTeam = z
  .object({
    goal: z
      .string()
      .trim()
      .min(1)
      .max(...charLimit("goal")),
    model: z
      .string()
      .max(200)
      .nullish()
      .describe("Of the coordinator and its workers; one as `claude-code/opus` names a program that coordinates"),
    coordinator: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe(
        "The program that coordinates in place of a model: as in `coding_agents`, or with its model, as `codex/gpt-5`",
      ),
    workspace_id: z.string().max(200).nullish().describe("The session; without one, the team gets its own"),
    max_concurrent: z.int().min(1).max(MAX_CONCURRENT).default(MAX_CONCURRENT).describe("Nodes worked on at once"),
    mode: TeamMode.default("finite").describe(
      "`infinite` goes on after its goal was reached, by triggers and messages",
    ),
    api_key: z.string().max(500).nullish(),
    budget: WorkBudgetChange.nullish().describe(
      "The most that the team's session may use in all; where that is used up, a person is asked",
    ),
    coding_agents: z
      .array(CodingAgent)
      .max(10)
      .default([])
      .describe(
        "The programs that workers may be, by their accounts' names, else by agents' ids with a key of the server's environment",
      ),
    project_path: Repository.nullish().describe(
      "The repository in which they work, and to which the results of models are committed; else the session's",
    ),
    permission_mode: PermissionMode.default("bypass").describe(
      "What they, and workers that are models, may do unasked",
    ),
    worker_commands: z
      .array(WorkerCommand)
      .max(10)
      .default([])
      .describe("The commands that workers may be, beside models and programs; each is told its work by files"),
    verify: z
      .boolean()
      .nullish()
      .describe(
        "Whether their nodes count as completed only once the project's own checks pass; else as is set for it",
      ),
    consent: z
      .boolean()
      .default(false)
      .describe(
        "Allows programs that ask nothing to work there, and checks and workers' commands to be run; needed once, and only locally",
      ),
  })
  .meta({ id: "NewTeam" })
export type NewTeam = z.infer<typeof NewTeam>

export const Team = z
  .object({
    id: z.string().describe("That of its session"),
    run_id: z.string(),
    goal: z.string(),
    mode: TeamMode,
    status: TeamStatus,
    model: z.string(),
    coordinator: z.string().nullable().describe("The program that coordinates; null for a model"),
    coordinator_id: z.string().nullable().describe("That program's agent in the session"),
    node_count: z.int(),
    worker_count: z.int(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Team" })
export type Team = z.infer<typeof Team>

export const Teams = z
  .object({ teams: z.array(Team), next: z.string().nullable().describe("The cursor of the next page") })
  .meta({ id: "Teams" })

const BoardNode = z
  .object({
    id: z.string(),
    task: z.string(),
    status: WorkNodeStatus,
    dependencies: z.array(z.string()),
    assigned_worker: z.string().nullable(),
    parent_node: z.string().nullable(),
    run_id: z.string().nullable().describe("The run that works on it, or did last"),
    result: z.string().nullable().describe("Its summary, or the reason why it failed"),
    published_files: z.array(z.string()),
    checks: CheckCommands.nullable().describe("The commands that must pass before it counts as completed"),
    budget: WorkBudgetStatus.describe("Its budget, and what its runs used of it"),
  })
  .meta({ id: "BoardNode" })

const TeamWorker = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.string(),
    type: z.string().describe("`harnessed`, `autonomous` for a command, or the program that it is"),
    command: z.string().nullable().describe("The command that it is"),
    model: z.string(),
    status: z.enum(["idle", "busy", "waiting_for_human"]),
    node_id: z.string().nullable(),
    used: WorkBudgetStatus.shape.used.describe("By the nodes that it has or had last"),
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
  spec: z.string().describe("Its task in full"),
  verdict: Verdict.nullable().describe("What its checks showed, once it is completed"),
  check_results: z.array(CheckResult).describe("Those of its last checks, passed or not"),
  commands: z.array(NodeCommand).describe("Those that its worker, a model, ran last, the newest at the end"),
}).meta({ id: "BoardNodeInFull" })

export const TeamWorkers = z.array(TeamWorker).meta({ id: "TeamWorkers" })

const TeamStage = z
  .object({
    name: z.string(),
    status: StageStatus,
    checkpoint_policy: CheckpointPolicy,
    nodes: z.array(z.string()).describe("Their ids"),
  })
  .meta({ id: "TeamStage" })

const TeamCommand = z
  .object({ name: z.string(), command: z.string(), timeout_seconds: z.int(), network: z.boolean() })
  .meta({ id: "TeamCommand" })

export const Board = z
  .object({
    ...{ team: Team, nodes: z.array(BoardNode), workers: z.array(TeamWorker), stages: z.array(TeamStage) },
    current_stage: z.string().nullable().describe("The first stage that isn't completed"),
    budget: WorkBudgetStatus.describe("That of its session, in which all that its members use counts"),
    coordinator_used: WorkBudgetStatus.shape.used.describe("By the coordinator's own run"),
    worker_commands: z.array(TeamCommand).describe("The commands that workers may be"),
    triggers: z.array(TeamTrigger).describe("Those that have ended, too, the oldest first"),
  })
  .meta({ id: "Board" })
export type Board = z.infer<typeof Board>

export const NewTeamNode = z
  .object({
    task: z
      .string()
      .trim()
      .min(1)
      .max(...charLimit("goal")),
    id: NodeId.optional().describe("Without one, it gets a number"),
    dependencies: z.array(z.string().max(100)).max(30).default([]).describe("The nodes that must be completed first"),
    stage: StageName.optional(),
    budget: WorkBudgetChange.optional(),
    checks: CheckCommands.optional().describe(
      "Commands that must pass, in a clean copy of the project with the node's files, before it counts as completed",
    ),
  })
  .meta({ id: "NewTeamNode" })

export const NewTeamWorker = z
  .object({
    name: z.string().trim().min(1).max(40),
    role: z.string().trim().min(1).max(500),
    max_iterations: z.int().min(1).max(100).default(20).describe("Model calls for one node"),
    command: z
      .string()
      .max(40)
      .optional()
      .describe("The name of one of `worker_commands`, for a worker that is this command; without it, a model"),
  })
  .meta({ id: "NewTeamWorker" })

export const NodeAssignment = z
  .object({ worker: z.string().min(1).max(100).describe("Its name or id") })
  .meta({ id: "NodeAssignment" })

export const NodeMove = z
  .object({
    before: z
      .string()
      .max(100)
      .nullable()
      .describe("The node before which it is to stand; null for the end of the board"),
  })
  .meta({ id: "NodeMove" })

export const TeamHalted = Board.extend({
  id: z.string(),
  status: z.enum(["paused", "resumed", "stopped"]).describe("The change that was made"),
}).meta({ id: "TeamHalted" })

export const TeamWritten = Board.extend({
  id: z.string(),
  status: z.literal("sent"),
  to: z.string(),
  message: z.string(),
}).meta({ id: "TeamWritten" })

/** A folder or a file of a team's session. */
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

/** Each tool of a team in what it is for. */
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
          coordinator: z.boolean().describe("Whether the coordinator has it"),
          worker: z.boolean().describe("Whether its workers have it"),
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
        from: z.string().describe("The id of a worker, `coordinator` or `human`"),
        to: z.string().describe("The id of a worker, `coordinator`, `human` or `all`"),
        content: z.string(),
        kind: z.enum(["goal", "message", "suggestion", "trigger", "report"]),
      }),
    ),
  })
  .meta({ id: "TeamMessages" })
export type TeamMessages = z.infer<typeof TeamMessages>

export const TeamConversation = z
  .array(z.object({ role: z.string().describe("Who said it"), to: z.string(), content: z.string(), ts: z.string() }))
  .meta({ id: "TeamConversation" })

/** An event as the clients of a team are told it. */
export const ToldEvent = z
  .object({
    seq: z.int().positive(),
    type: z.string().describe("Such as `node.completed`"),
    agent_id: z.string().describe("The team's id"),
    ts: z.string(),
    data: z.record(z.string(), z.unknown()).describe("The other fields of the session's event"),
  })
  .meta({ id: "TeamEvent" })
export type ToldEvent = z.infer<typeof ToldEvent>

export const TeamAnswer = z
  .object({
    response: z
      .string()
      .trim()
      .min(1)
      .max(...charLimit("answer"))
      .describe("In words; where it is asked what may be done, `allow`, `allow_session`, `allow_all` or `deny`"),
    question_id: z.string().max(100).optional().describe("Needed where several questions wait"),
  })
  .meta({ id: "TeamAnswer" })

export const MemorySections = z
  .object({
    sections: z.array(
      z.object({ path: z.string(), heading: z.string().describe("Empty before the first one"), text: z.string() }),
    ),
  })
  .meta({ id: "MemorySections" })

export const TeamMessage = z
  .object({
    message: z
      .string()
      .trim()
      .min(1)
      .max(...charLimit("goal")),
    to: z.string().max(100).default("coordinator").describe("A worker's name, `coordinator` or `all`"),
  })
  .meta({ id: "TeamMessage" })
