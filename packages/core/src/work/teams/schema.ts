import * as z from "zod"
import { AgentProgram } from "../../agents/conversations/schema.ts"
import { PermissionMode, PermissionRule } from "../../agents/permissions/schema.ts"
import { ImageRef } from "../../files/images/schema.ts"
import { charLimit } from "../../text/text-limits-schema.ts"
import { RepositoryChecks } from "../gate/schema.ts"
import { MAX_WORKER_COMMAND_SECONDS } from "../shell-commands/schema.ts"
import { MAX_ATTEMPTS, VerificationPlan } from "../verification/schema.ts"

/** Agent ID of a team's own run. */
export const COORDINATOR = "coordinator"
/** Recipient of messages to the session's people. */
export const HUMAN = "human"
/** Recipient of messages to the whole team. */
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

/**
 * Condition for a stage's review: how many of its nodes must be completed. A stage is also reviewed once all its nodes
 * have ended.
 */
export const CheckpointPolicy = z.enum(["all_must_complete", "majority", "any"])
export type CheckpointPolicy = z.infer<typeof CheckpointPolicy>

/** A stage's limits, and the conditions that end it. */
export const StageContract = z.object({
  checkpoint_policy: CheckpointPolicy.default("all_must_complete").describe(
    "How many of the stage's nodes must be completed before you reconvene",
  ),
  timeout_seconds: z
    .int()
    .min(10)
    .max(7 * 86_400)
    .optional()
    .describe("Seconds from the start of the stage's first node until its running nodes are stopped and you reconvene"),
  max_iterations: z.int().min(1).max(100).optional().describe("Maximum model calls for each of the stage's nodes"),
})
export type StageContract = z.infer<typeof StageContract>

export const StageStatus = z.enum(["planning", "running", "reconvening", "completed"])
export type StageStatus = z.infer<typeof StageStatus>

export const StageName = z.string().trim().min(1).max(60)

/** A `finite` team ends when its goal is reached. An `infinite` team continues whenever it is woken. */
export const TeamMode = z.enum(["finite", "infinite"])
export type TeamMode = z.infer<typeof TeamMode>

/** Limits of a team, which bound its cost and the size of its state. */
export const MAX_NODES = 300
export const MAX_WORKERS = 40
export const MAX_STAGES = 30
export const MAX_CONCURRENT = 4
export const MAX_UNREAD = 100
/** Maximum length of a result on the board. The event contains the complete result. */
export const MAX_RESULT_CHARS = 200

const NODE_ID = /^[a-z0-9][a-z0-9-]{0,39}$/
export const NodeId = z.string().regex(NODE_ID).describe("Lowercase letters, digits and hyphens")

/** Type of workers that use a model. They edit files in the session, whereas programs work in a worktree. */
export const HARNESSED = "harnessed"
/** Type of workers that run a command. They receive their tasks as files. */
export const AUTONOMOUS = "autonomous"

/** A program that may be a worker, with the coordinator's name for it. */
const TeamAgent = z.object({ name: z.string(), ...AgentProgram.shape })

/** Programs that may be workers in a team, and their permissions. */
export const TeamAgents = z.object({
  choices: z.array(TeamAgent).min(1),
  repository: z.string().nullable().describe("Null for the session's own files"),
  mode: PermissionMode,
  verification: VerificationPlan.optional().describe("Verification required to complete a node of such a worker"),
})
export type TeamAgents = z.infer<typeof TeamAgents>

/** The program that coordinates a team instead of a model. */
export const TeamCoordinator = z.object({ ...AgentProgram.shape, mode: PermissionMode })
export type TeamCoordinator = z.infer<typeof TeamCoordinator>

/** Placeholder for the model in runs of commands, which don't call models. */
export const COMMAND_MODEL = "scripted/command"

/** A command that may be a worker. */
export const WorkerCommand = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,39}$/)
      .describe("Name used by the coordinator to add such a worker"),
    command: z.string().trim().min(1).max(2000).describe("Run by a shell, in a clean copy of the project"),
    timeout_seconds: z.int().min(1).max(MAX_WORKER_COMMAND_SECONDS).default(600).describe("Time limit"),
    network: z
      .boolean()
      .default(false)
      .describe(
        "True if the command may reach the hosts in `SWITCHYARD_AGENT_HOSTS`; otherwise it has no network access",
      ),
  })
  .meta({ id: "WorkerCommand" })
export type WorkerCommand = z.infer<typeof WorkerCommand>

/** Commands that a team may run, if any. */
export const TeamCommands = z.object({
  workers: z.array(WorkerCommand).optional().describe("Worker commands specified by a person"),
  checks: RepositoryChecks.describe("Check commands set by a person; a node's own override them"),
  max_attempts: z.int().min(1).max(MAX_ATTEMPTS).describe("Maximum attempts by a worker to pass its node's checks"),
  mode: PermissionMode.describe("Which commands model workers may run without asking"),
  rules: z.array(PermissionRule).optional().describe("The owner's permission rules"),
})
export type TeamCommands = z.infer<typeof TeamCommands>

export const TeamInput = z.object({
  goal: z
    .string()
    .min(1)
    .max(...charLimit("goal")),
  images: z.array(ImageRef).optional().describe("Images that belong to the goal"),
  max_concurrent: z.int().min(1).max(MAX_CONCURRENT).default(MAX_CONCURRENT),
  mode: TeamMode.default("finite"),
  repository: z.string().optional().describe("Repository the team works in; absent for the session's own files"),
  agents: TeamAgents.optional().describe("Absent if no workers are programs"),
  coordinator: TeamCoordinator.optional().describe("Absent if a model coordinates"),
  commands: TeamCommands.optional().describe("Absent if no commands may run"),
})
export type TeamInput = z.infer<typeof TeamInput>

export const WorkNodeInput = z.object({ node_id: NodeId, task: z.string() })
export type WorkNodeInput = z.infer<typeof WorkNodeInput>
