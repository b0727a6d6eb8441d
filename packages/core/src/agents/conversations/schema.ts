import * as z from "zod"
import { WorktreeSetup } from "../../files/worktrees/setup-schema.ts"
import { MOMENT_AGENT, PAGE_AGENT, READING_AGENT } from "../../work/chat/schema.ts"
import { CHECKER } from "../../work/gate/schema.ts"
import { TRAIN_AGENT } from "../../work/trains/agent-schema.ts"
import { VerificationPlan } from "../../work/verification/schema.ts"
import { CliId } from "../clis/schema.ts"
import { HandOffPlan } from "../hand-off/schema.ts"
import { PermissionMode, PermissionRule } from "../permissions/schema.ts"

/** The agent of a session for which no other is named. */
export const MAIN_AGENT = "main"

/** The agents of runs that no program does. */
const OWN_IDS: ReadonlySet<string> = new Set([CHECKER, TRAIN_AGENT, PAGE_AGENT, MOMENT_AGENT, READING_AGENT])

/** An agent's id, unique in its session: its runs, its conversation and its memory belong to it. */
export const AgentId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  .refine((id) => !OWN_IDS.has(id), "This id is the product's own.")

/** The program of an agent, and the account that it works on. */
export const AgentProgram = z.object({
  cli: CliId,
  account: z.string().nullable().describe("The account's name; null for credentials of the server's environment"),
  model: z.string().nullable(),
  reasoning: z.string().nullable(),
})
export type AgentProgram = z.infer<typeof AgentProgram>

/** The input of an agent's run. */
export const AgentInput = z.object({
  task: z.string().min(1),
  messages: z
    .array(z.string())
    .optional()
    .describe("The messages that this turn of a conversation answers; absent for a task"),
  prompt: z.string().optional().describe("What the agent is told instead of the usual, where somebody wrote that"),
  ...AgentProgram.shape,
  repository: z.string().nullable().describe("A local path or a URL to clone; null for the session's own workspace"),
  mode: PermissionMode.optional().describe("Else the agent's own; and if it has none, it asks nothing"),
  base_branch: z.string().optional().describe("The branch from which a worktree is made"),
  cwd: z.string().optional().describe("The folder of the worktree to start in"),
  branch: z.string().optional().describe("The existing branch to work on"),
  resume_session: z.string().optional().describe("A session of its program in the home of the server's user"),
  merge_branch: z.string().optional().describe("A branch to merge into the worktree first, for the agent to resolve"),
  screenshots: z.array(z.string()).optional().describe("Hashes of images that came with the task"),
  rules: z.array(PermissionRule).optional().describe("The owner's, when the task was given"),
  consent: z
    .boolean()
    .optional()
    .describe("Consent to the files that start programs, as they are in the commit from which the work began"),
  consents: z.array(z.string()).optional().describe("Digests of such files that the owner had consented to before"),
  setup: WorktreeSetup.extend({ cache_key: z.string(), instructions_paths: z.array(z.string()).optional() })
    .optional()
    .describe("What the owner has set for worktrees of the repository, when the task was given"),
  keys_only: z
    .boolean()
    .optional()
    .describe("Whether no account with its agent's own log-in may work on it, since others than its owner set it off"),
  hand_off: HandOffPlan.optional().describe("What to do about limits; absent where the owner has no rules"),
  verification: VerificationPlan.optional().describe("The proof that it takes to be completed; absent for none"),
  terminal: z.object({ rows: z.int().min(1).max(500), cols: z.int().min(1).max(500) }),
})
export type AgentInput = z.infer<typeof AgentInput>

/** A session of an agent's program in the person's own home: its id, or `latest` for the newest one in the repository. */
export const NativeSession = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/)

/** Images for an agent to look at. */
export const Uploads = z
  .array(z.string().regex(/^artifacts\/[0-9a-f]{64}$/, "It must be the `path` of an upload."))
  .max(5)
  .describe("Images to look at, each the `path` of an upload to this session")

/** One piece of what an agent said. */
export const MessageBlock = z.object({ kind: z.enum(["text", "thinking"]), content: z.string() })
export type MessageBlock = z.infer<typeof MessageBlock>

/** The end of a task, as the agent reports it. */
export const Summary = z.object({
  change_summary: z.string(),
  files_changed: z.array(z.string()),
  completion_status: z.enum(["success", "partial", "blocked", "error"]),
  hypothesis: z.string().optional(),
})
export type Summary = z.infer<typeof Summary>

/** The progress of an agent, as it reports it. */
export const Progress = z.object({
  summary: z.string(),
  location: z.string().optional(),
  next_step: z.string().optional(),
})
export type Progress = z.infer<typeof Progress>
