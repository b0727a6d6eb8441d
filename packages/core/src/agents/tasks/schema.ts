import * as z from "zod"
import { BranchName, WorktreeName } from "../../files/worktrees/names-schema.ts"
import { ONE_LINE } from "../../people/access/schema.ts"
import { charLimit } from "../../text-limits-schema.ts"
import { DEFAULT_ATTEMPTS, MAX_ATTEMPTS } from "../../work/verification/schema.ts"
import { reviewerFields } from "../../work/verification/settings-schema.ts"
import { AgentId, MAIN_AGENT, NativeSession, Uploads } from "../conversations/schema.ts"
import { PermissionMode } from "../permissions/schema.ts"

/** Half a character can't be written down as it came, and no program takes a NUL in what it is told. */
const Text = z
  .string()
  .max(...charLimit("prompt"))
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Invalid Unicode")

const Name = z.string().trim().min(1).max(200).regex(ONE_LINE, "It must be a single line of text.")

/** The repository that agents work in: a folder of the server's machine, or an address to clone from. */
export const Repository = z.string().trim().min(1).max(4096).regex(ONE_LINE, "It must be a single line of text.")

/** The choice of an agent and its settings, in every request for one. */
export const agentFields = {
  coding_agent: Name.describe("An account's name; else an agent's id, with a key of the server's environment"),
  agent_id: AgentId.default(MAIN_AGENT).describe(
    "The agent of the session that gets it, by id or name; each has one task at a time",
  ),
  worktree: WorktreeName.optional().describe(
    "The session's worktree to work in, made if it isn't there; else that of an agent that was created, else `main`",
  ),
  coding_model: Name.nullish().describe("Else the account's, else what the agent chooses"),
  coding_reasoning: Name.nullish(),
  terminal_rows: z.int().min(10).max(500).default(24),
  terminal_cols: z.int().min(40).max(500).default(80),
  override_prompt: Text.nullish().describe("Told to the agent in place of the usual words; {task} stands for the task"),
  base_branch: BranchName.optional().describe(
    "Of a repository: the branch to begin from where the worktree isn't there yet; else the one that is checked out",
  ),
  branch: BranchName.optional().describe(
    "Of a repository on this machine: an existing branch to work on, where the session has no worktree yet. Where a worktree of yours has it checked out, that one is taken over",
  ),
  resume_session: NativeSession.optional().describe(
    "A session of the agent's program in your own home on the server's machine, to go on with: its id, or `latest` for the newest one in that repository",
  ),
  mode: PermissionMode.optional().describe(
    "Else what the agent was allowed before in this session; an agent that was never asked about it asks nothing",
  ),
  verify: z
    .boolean()
    .nullish()
    .describe(
      "Whether the task counts as completed only once the project's own checks pass on its commit; else as the session is set, else as its repository",
    ),
  allow_test_changes: z
    .boolean()
    .nullish()
    .describe("With `verify`: whether tests that were there before may be changed, and the commands that run them"),
  verification_attempts: z
    .int()
    .min(1)
    .max(MAX_ATTEMPTS)
    .nullish()
    .describe(`With \`verify\`: the attempts of the agent to pass; ${DEFAULT_ATTEMPTS} where it isn't given`),
  verification_agent: reviewerFields.verification_agent.optional(),
  verification_model: reviewerFields.verification_model.optional(),
  verification_reasoning: reviewerFields.verification_reasoning.optional(),
  consent: z
    .boolean()
    .default(false)
    .describe(
      "Allows an agent that asks nothing, once for each repository on a local server, and the repository's files that start programs, exactly as they are in the commit from which the work begins. `GET /api/v1/consents` lists both",
    ),
}

/** A task for an agent. */
export const NewTask = z
  .object({
    task_description: Text.refine((text) => text.trim() !== "", "It says nothing."),
    project_path: Repository.nullish().describe("Where to work; else the session's repository, else its own workspace"),
    screenshots: Uploads.default([]),
    merge_branch: BranchName.optional().describe(
      "A branch that is merged into the worktree before the agent begins. The conflicts are left in its files, for it to resolve",
    ),
    is_followup: z.boolean().nullish().describe("The session knows it by itself: it makes no difference"),
    ...agentFields,
    coding_agent: agentFields.coding_agent
      .nullish()
      .describe("An account's name, or an agent's id; else the one that is preferred in the repository"),
  })
  .meta({ id: "NewTask" })
export type NewTask = z.infer<typeof NewTask>

/** The choice of an agent in a request for a task, where it may name none. */
export type AgentFields = Pick<NewTask, Extract<keyof NewTask, keyof typeof agentFields>>

export const TaskState = z.enum(["pending", "running", "completed", "failed", "cancelled"])
export type TaskState = z.infer<typeof TaskState>

/** A task as the API shows it. It is a run: `task_id` is its `run_id`. */
export const TaskStatus = z
  .object({
    task_id: z.string(),
    session_id: z.string(),
    agent_id: z.string(),
    worktree: z.string().describe("The session's worktree that the agent works in"),
    status: TaskState,
    progress: z.string().nullable().describe("Where the agent last said that it is"),
    result: z.string().nullable().describe("What it says it did, or why it did not"),
    warning: z.string().nullable().describe("Why the result should be checked, though it completed"),
    started_at: z.iso.datetime().nullable(),
    completed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "TaskStatus" })
export type TaskStatus = z.infer<typeof TaskStatus>

export const Milestone = z
  .object({
    seq: z.int().positive(),
    milestone_type: z.string(),
    title: z.string(),
    summary: z.string(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Milestone" })
export type Milestone = z.infer<typeof Milestone>

/** One thing that was said in a task. */
export const ConversationItem = z
  .object({
    seq: z.int().positive(),
    ts: z.iso.datetime(),
    type: z.enum(["user", "assistant", "milestone"]),
    content: z.string().optional(),
    blocks: z.array(z.object({ kind: z.string(), content: z.string() })).optional(),
    milestone_type: z.string().optional(),
    title: z.string().optional(),
    summary: z.string().optional(),
  })
  .meta({ id: "ConversationItem" })
export type ConversationItem = z.infer<typeof ConversationItem>

/** The newest task of a session, and what was said in it. */
export const Conversation = z
  .object({
    session_id: z.string(),
    task: z.object({
      seq: z.int().positive(),
      task_id: z.string(),
      task_description: z.string(),
      project_path: z.string().nullable(),
      coding_provider: z.string(),
      coding_account: z.string().nullable(),
      coding_model: z.string().nullable(),
    }),
    items: z.array(ConversationItem),
    latest_seq: z.int(),
  })
  .meta({ id: "Conversation" })
export type Conversation = z.infer<typeof Conversation>
