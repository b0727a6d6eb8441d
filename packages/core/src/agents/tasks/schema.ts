import * as z from "zod"
import { BranchName, WorktreeName } from "../../files/worktrees/names-schema.ts"
import { ONE_LINE } from "../../people/access/schema.ts"
import { charLimit } from "../../text/text-limits-schema.ts"
import { DEFAULT_ATTEMPTS, MAX_ATTEMPTS } from "../../work/verification/schema.ts"
import { reviewerFields } from "../../work/verification/settings-schema.ts"
import { AgentId, MAIN_AGENT, NativeSession, Uploads } from "../conversations/schema.ts"
import { PermissionMode } from "../permissions/schema.ts"

/**
 * Text of a prompt. Lone surrogates are rejected because they can't be stored. NUL is rejected because programs don't
 * accept it.
 */
const Text = z
  .string()
  .max(...charLimit("prompt"))
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Invalid Unicode")

const Name = z.string().trim().min(1).max(200).regex(ONE_LINE, "It must be a single line of text.")

/** Repository that agents work in: a folder on the server's machine, or a URL to clone. */
export const Repository = z.string().trim().min(1).max(4096).regex(ONE_LINE, "It must be a single line of text.")

/** Choice of an agent and its settings, as part of every request for an agent. */
export const agentFields = {
  coding_agent: Name.describe("Name of an account, or id of an agent whose key is in the server's environment"),
  agent_id: AgentId.default(MAIN_AGENT).describe(
    "Agent in the session that does the task, by id or name; each agent does one task at a time",
  ),
  worktree: WorktreeName.optional().describe(
    "Worktree in the session, created if necessary; defaults to the agent's own if it has one, or else `main`",
  ),
  coding_model: Name.nullish().describe("Defaults to the account's model, or else the agent's choice"),
  coding_reasoning: Name.nullish(),
  terminal_rows: z.int().min(10).max(500).default(24),
  terminal_cols: z.int().min(40).max(500).default(80),
  override_prompt: Text.nullish().describe(
    "Prompt for the agent instead of the default; {task} is replaced by the task",
  ),
  base_branch: BranchName.optional().describe(
    "Repository branch that a new worktree starts from; defaults to the checked-out branch",
  ),
  branch: BranchName.optional().describe(
    "Existing branch of a repository on this machine to work on, if the session has no worktree yet. If one of your worktrees has it checked out, that worktree is taken over",
  ),
  resume_session: NativeSession.optional().describe(
    "Session to continue, created by the agent's program in your own home on the server's machine: its id, or `latest` for the newest in that repository",
  ),
  mode: PermissionMode.optional().describe(
    "Defaults to the agent's earlier mode in this session. Without one, the agent never asks",
  ),
  verify: z
    .boolean()
    .nullish()
    .describe(
      "True if the task only completes once the project's own checks pass on its commit; defaults to the session's setting, or else the repository's",
    ),
  allow_test_changes: z
    .boolean()
    .nullish()
    .describe("With `verify`: allows changes to existing tests and the commands that run them"),
  verification_attempts: z
    .int()
    .min(1)
    .max(MAX_ATTEMPTS)
    .nullish()
    .describe(`With \`verify\`: maximum number of attempts to pass; defaults to ${DEFAULT_ATTEMPTS}`),
  verification_agent: reviewerFields.verification_agent.optional(),
  verification_model: reviewerFields.verification_model.optional(),
  verification_reasoning: reviewerFields.verification_reasoning.optional(),
  consent: z
    .boolean()
    .default(false)
    .describe(
      "Allows an agent that never asks (required once per repository on a local server), and the repository's files that start programs or set up worktrees, exactly as they are in the starting commit. Files that start programs are only used in `bypass` mode. `GET /api/v1/consents` lists both",
    ),
}

export const NewTask = z
  .object({
    task_description: Text.refine((text) => text.trim() !== "", "It must not be empty."),
    project_path: Repository.nullish().describe(
      "Repository to work in; defaults to the session's repository, or else its own workspace",
    ),
    screenshots: Uploads.default([]),
    merge_branch: BranchName.optional().describe(
      "Branch that is merged into the worktree before the agent starts. Conflicts are left for the agent to resolve",
    ),
    is_followup: z.boolean().nullish().describe("Ignored; derived from the session"),
    ...agentFields,
    coding_agent: agentFields.coding_agent
      .nullish()
      .describe("Name of an account, or id of an agent; defaults to the repository's preferred agent"),
  })
  .meta({ id: "NewTask" })
export type NewTask = z.infer<typeof NewTask>

/** Choice of an agent in a task request. All fields are optional there. */
export type AgentFields = Pick<NewTask, Extract<keyof NewTask, keyof typeof agentFields>>

export const TaskState = z.enum(["pending", "running", "completed", "failed", "cancelled"])
export type TaskState = z.infer<typeof TaskState>

/** Task as shown in the API. A task is a run: `task_id` is its `run_id`. */
export const TaskStatus = z
  .object({
    task_id: z.string(),
    session_id: z.string(),
    agent_id: z.string(),
    worktree: z.string().describe("Worktree of the session that the agent works in"),
    status: TaskState,
    progress: z.string().nullable().describe("Latest progress reported by the agent"),
    result: z.string().nullable().describe("Result reported by the agent, or the reason for a failure"),
    warning: z.string().nullable().describe("Why the result should be checked although the task completed"),
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

/** One message or milestone of a task. */
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

/** A session's newest task, with its conversation. */
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
