import * as z from "zod"
import { WorktreeSetup } from "../../files/worktrees/setup-schema.ts"
import { MOMENT_AGENT, PAGE_AGENT, READING_AGENT } from "../../work/chat/schema.ts"
import { CHECKER } from "../../work/gate/schema.ts"
import { TRAIN_AGENT } from "../../work/trains/agent-schema.ts"
import { VerificationPlan } from "../../work/verification/schema.ts"
import { CliId } from "../clis/clis.ts"
import { HandOffPlan } from "../hand-off/schema.ts"
import { PermissionMode, PermissionRule } from "../permissions/schema.ts"
import { AllowedSetups } from "../setup/schema.ts"

/** ID of a session's default agent. */
export const MAIN_AGENT = "main"

/** IDs used instead of an agent's ID, for runs that don't use an agent's program. */
const OWN_IDS: ReadonlySet<string> = new Set([CHECKER, TRAIN_AGENT, PAGE_AGENT, MOMENT_AGENT, READING_AGENT])

/** ID of an agent, unique in its session. Each run, conversation and memory belongs to an agent with such an ID. */
export const AgentId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  .refine((id) => !OWN_IDS.has(id), "This id is reserved.")

/** An agent's program and account. */
export const AgentProgram = z.object({
  cli: CliId,
  account: z.string().nullable().describe("Name of the account; null for credentials from the server's environment"),
  model: z.string().nullable(),
  reasoning: z.string().nullable(),
})
export type AgentProgram = z.infer<typeof AgentProgram>

export const AgentInput = z.object({
  task: z.string().min(1),
  messages: z
    .array(z.string())
    .optional()
    .describe("Messages that this turn of a conversation answers; absent for a task"),
  prompt: z.string().optional().describe("Custom prompt instead of the default"),
  ...AgentProgram.shape,
  repository: z.string().nullable().describe("Local path or URL to clone; null for the session's own workspace"),
  mode: PermissionMode.optional().describe("Defaults to the agent's own mode. Without one, the agent never asks"),
  base_branch: z.string().optional().describe("Starting branch of a new worktree"),
  cwd: z.string().optional().describe("Folder in the worktree to start in"),
  branch: z.string().optional().describe("Existing branch to work on"),
  resume_session: z.string().optional().describe("Session of its program in the server user's home"),
  merge_branch: z.string().optional().describe("Branch to merge into the worktree first; the agent resolves conflicts"),
  screenshots: z.array(z.string()).optional().describe("Hashes of images attached to the task"),
  rules: z.array(PermissionRule).optional().describe("The owner's rules when the task was given"),
  consent: z
    .boolean()
    .optional()
    .describe("Consent to the files that start programs or set up worktrees, as they are in the starting commit"),
  consents: z.array(z.string()).optional().describe("Digests of such files with earlier consents"),
  own_setups: AllowedSetups.optional().describe("Digests of the owner's own setups that the owner has consented to"),
  setup: WorktreeSetup.extend({ cache_key: z.string(), instructions_paths: z.array(z.string()).optional() })
    .optional()
    .describe("The owner's worktree settings for the repository when the task was given"),
  keys_only: z
    .boolean()
    .optional()
    .describe(
      "Excludes accounts that use their agent's own login, because someone other than the owner may have started the run",
    ),
  hand_off: HandOffPlan.optional().describe("What to do when a limit is reached; absent if the owner has no rules"),
  verification: VerificationPlan.optional().describe("Verification required for completion; absent if none"),
  terminal: z.object({ rows: z.int().min(1).max(500), cols: z.int().min(1).max(500) }),
})
export type AgentInput = z.infer<typeof AgentInput>

/**
 * Session of an agent's program in the person's own home: its ID, or `latest` for the newest session in the repository.
 */
export const NativeSession = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/)

/** Images for an agent to look at. */
export const Uploads = z
  .array(z.string().regex(/^artifacts\/[0-9a-f]{64}$/, "It must be the `path` of an upload."))
  .max(5)
  .describe("Images to look at, as `path`s of uploads to this session")

/** One block of an agent's message. */
export const MessageBlock = z.object({ kind: z.enum(["text", "thinking"]), content: z.string() })
export type MessageBlock = z.infer<typeof MessageBlock>

/** Outcome of a task, as reported by the agent. */
export const Summary = z.object({
  change_summary: z.string(),
  files_changed: z.array(z.string()),
  completion_status: z.enum(["success", "partial", "blocked", "error"]),
  hypothesis: z.string().optional(),
})
export type Summary = z.infer<typeof Summary>

/** Progress as reported by an agent. */
export const Progress = z.object({
  summary: z.string(),
  location: z.string().optional(),
  next_step: z.string().optional(),
})
export type Progress = z.infer<typeof Progress>
