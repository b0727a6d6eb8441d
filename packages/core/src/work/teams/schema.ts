import * as z from "zod"
import { AgentProgram } from "../../agents/conversations/schema.ts"
import { PermissionMode, PermissionRule } from "../../agents/permissions/schema.ts"
import { charLimit } from "../../text-limits-schema.ts"
import { RepositoryChecks } from "../gate/schema.ts"
import { MAX_WORKER_COMMAND_SECONDS } from "../shell-commands/schema.ts"
import { MAX_ATTEMPTS, VerificationPlan } from "../verification/schema.ts"

/** The agent that a team's own run belongs to. */
export const COORDINATOR = "coordinator"
/** The recipient of messages to whoever may answer in the session. */
export const HUMAN = "human"
/** The recipient of messages to everybody on the team. */
export const EVERYBODY = "all"

export const TeamStatus = z.enum([
  "idle",
  "working",
  "paused",
  "waiting_for_human",
  "waiting_for_trigger",
  "stopped",
  "completed",
  "failed",
])
export type TeamStatus = z.infer<typeof TeamStatus>

export const WorkNodeStatus = z.enum(["pending", "assigned", "running", "completed", "failed"])
export type WorkNodeStatus = z.infer<typeof WorkNodeStatus>

/** The share of a stage that is completed before its coordinator reconvenes. It does so, too, once no node is left. */
export const CheckpointPolicy = z.enum(["all_must_complete", "majority", "any"])
export type CheckpointPolicy = z.infer<typeof CheckpointPolicy>

/** The limits of a stage, and what ends it. */
export const StageContract = z.object({
  checkpoint_policy: CheckpointPolicy.default("all_must_complete").describe(
    "How many of its nodes must be completed before you reconvene",
  ),
  timeout_seconds: z
    .int()
    .min(10)
    .max(7 * 86_400)
    .optional()
    .describe("This long after its first node began, what is under way in it is stopped, and you reconvene"),
  max_iterations: z.int().min(1).max(100).optional().describe("Model calls for each of its nodes, at most"),
})
export type StageContract = z.infer<typeof StageContract>

export const StageStatus = z.enum(["planning", "running", "reconvening", "completed"])
export type StageStatus = z.infer<typeof StageStatus>

export const StageName = z.string().trim().min(1).max(60)

/** Whether a team ends when its goal is reached, or goes on when it is woken. */
export const TeamMode = z.enum(["finite", "infinite"])
export type TeamMode = z.infer<typeof TeamMode>

/** The limits of a team, which keep its state small and its money together. */
export const MAX_NODES = 300
export const MAX_WORKERS = 40
export const MAX_STAGES = 30
export const MAX_CONCURRENT = 4
export const MAX_UNREAD = 100
/** A board shows so much of a result; the whole is in its event. */
export const MAX_RESULT_CHARS = 200

const NODE_ID = /^[a-z0-9][a-z0-9-]{0,39}$/
export const NodeId = z.string().regex(NODE_ID).describe("Lower-case letters, digits and hyphens")

/** The type of workers that are a model with files, and no program with a worktree. */
export const HARNESSED = "harnessed"
/** The type of workers that are a command, which is told its work by files. */
export const AUTONOMOUS = "autonomous"

/** A program that workers may be, under the name by which a coordinator asks for it. */
const TeamAgent = z.object({ name: z.string(), ...AgentProgram.shape })

/** The programs that a team's workers may be, and what they may do. */
export const TeamAgents = z.object({
  choices: z.array(TeamAgent).min(1),
  repository: z.string().nullable().describe("Null for the session's own files"),
  mode: PermissionMode,
  verification: VerificationPlan.optional().describe("The proof that each of their nodes takes to be completed"),
})
export type TeamAgents = z.infer<typeof TeamAgents>

/** The program that coordinates a team in place of a model. */
export const TeamCoordinator = z.object({ ...AgentProgram.shape, mode: PermissionMode })
export type TeamCoordinator = z.infer<typeof TeamCoordinator>

/** The model of such a worker's runs: it asks none. */
export const COMMAND_MODEL = "scripted/command"

/** A command that workers may be. */
export const WorkerCommand = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,39}$/)
      .describe("By which the coordinator asks for such a worker"),
    command: z.string().trim().min(1).max(2000).describe("Run by a shell, in a clean copy of the project"),
    timeout_seconds: z
      .int()
      .min(1)
      .max(MAX_WORKER_COMMAND_SECONDS)
      .default(600)
      .describe("The longest that it may take"),
    network: z
      .boolean()
      .default(false)
      .describe("Whether it reaches the hosts that agents may, as `SWITCHYARD_AGENT_HOSTS` lists them; otherwise none"),
  })
  .meta({ id: "WorkerCommand" })
export type WorkerCommand = z.infer<typeof WorkerCommand>

/** The commands that may be run for a team, where any may. */
export const TeamCommands = z.object({
  workers: z.array(WorkerCommand).optional().describe("Those that its workers may be, as a person named them"),
  checks: RepositoryChecks.describe("Those that a person set for checks; a node's own come first"),
  max_attempts: z.int().min(1).max(MAX_ATTEMPTS).describe("The attempts of a worker to pass the checks of its node"),
  mode: PermissionMode.describe("What workers that are models may run unasked"),
  rules: z.array(PermissionRule).optional().describe("Those of its owner"),
})
export type TeamCommands = z.infer<typeof TeamCommands>

/** The beginning of a team. */
export const TeamInput = z.object({
  goal: z
    .string()
    .min(1)
    .max(...charLimit("goal")),
  max_concurrent: z.int().min(1).max(MAX_CONCURRENT).default(MAX_CONCURRENT),
  mode: TeamMode.default("finite"),
  repository: z.string().optional().describe("In which they work; absent for the session's own files"),
  agents: TeamAgents.optional().describe("Absent where no workers are programs"),
  coordinator: TeamCoordinator.optional().describe("Absent where a model coordinates"),
  commands: TeamCommands.optional().describe("Absent where nothing may be run"),
})
export type TeamInput = z.infer<typeof TeamInput>

/** The node that a run works on. */
export const WorkNodeInput = z.object({ node_id: NodeId, task: z.string() })
export type WorkNodeInput = z.infer<typeof WorkNodeInput>
