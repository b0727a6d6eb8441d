import * as z from "zod"
import { BranchName, WorktreeName } from "../../files/worktrees/names-schema.ts"
import { ONE_LINE } from "../../people/access/schema.ts"
import { charLimit } from "../../text/text-limits-schema.ts"
import { CHAT_AGENT, MOMENT_AGENT, PAGE_AGENT, READING_AGENT } from "../../work/chat/schema.ts"
import { CHECKER } from "../../work/gate/schema.ts"
import { TRAIN_AGENT } from "../../work/trains/agent-schema.ts"
import { CliId } from "../clis/clis.ts"
import { Todo } from "../clis/schema.ts"
import { PermissionMode } from "../permissions/schema.ts"
import { MAIN_AGENT, NativeSession, Uploads } from "./schema.ts"

export const AgentKind = z.enum(["cli"])
export type AgentKind = z.infer<typeof AgentKind>

/** Names that agents can't have, because these names already have another meaning, or may get one later. */
const RESERVED: ReadonlySet<string> = new Set([
  ...[
    MAIN_AGENT,
    CHAT_AGENT,
    PAGE_AGENT,
    MOMENT_AGENT,
    READING_AGENT,
    "coordinator",
    "human",
    "all",
    CHECKER,
    TRAIN_AGENT,
  ],
])

const MADE_ID = /^agt_[0-9a-z]{26}$/

/** Name of a created agent. A name never looks like an ID, so the API accepts a name wherever it accepts an ID. */
export const AgentName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  .refine((name) => !MADE_ID.test(name), "This looks like an agent's id.")
  .refine((name) => !RESERVED.has(name.toLowerCase()), "This name is reserved.")

/**
 * Status of an agent, derived from the log. `starting`: the agent's next turn is waiting for a runner, a worktree or
 * other agents.
 */
export const AgentStatus = z.enum(["starting", "idle", "busy", "needs_input", "parked", "closed"])
export type AgentStatus = z.infer<typeof AgentStatus>

/** Agent of a session, as shown in the API. */
export const Agent = z
  .object({
    agent_id: z.string(),
    name: z.string(),
    kind: AgentKind,
    status: AgentStatus,
    coding_agent: z.string().nullable().describe("Name of its account, or else of its program; null before it has one"),
    cli: CliId.nullable(),
    account: z.string().nullable(),
    model: z.string().nullable(),
    reasoning: z.string().nullable(),
    mode: PermissionMode,
    worktree: z.string(),
    cwd: z.string().describe("Folder in its worktree to start in; empty for the worktree itself"),
    parent: z.string().nullable().describe("Agent that started it"),
    native_session_id: z.string().nullable().describe("Its program's own session, which the next turn resumes"),
    run_id: z.string().nullable().describe("Run of its current or waiting turn"),
    interrupting: z.boolean().describe("True if that turn was asked to stop"),
    queued: z.int().nonnegative().describe("Number of messages waiting until it is idle"),
    waits_for: z
      .enum(["agents", "worktree", "team"])
      .nullable()
      .describe(
        "Why messages are waiting although it is idle: too many active agents, another agent working in its worktree, or a halted team",
      ),
    created_at: z.iso.datetime().nullable().describe("Null if the agent was never explicitly created"),
    closed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Agent" })
export type Agent = z.infer<typeof Agent>

/** An agent, with details that are left out in lists. */
export const AgentDetails = Agent.extend({
  draft: z.string().describe("Unsent message to it"),
  todos: z.array(Todo).describe("Its latest to-do list"),
  queue: z.array(z.object({ message_id: z.string(), seq: z.int().positive(), content: z.string() })),
}).meta({ id: "AgentDetails" })
export type AgentDetails = z.infer<typeof AgentDetails>

/**
 * Text for a program. NUL is rejected because programs don't accept it. Lone surrogates are rejected because they can't
 * be stored.
 */
const Text = z.string().refine((text) => text.isWellFormed() && !text.includes("\0"), "Invalid Unicode")

const Content = Text.max(...charLimit("message")).refine((text) => text.trim() !== "", "It must not be empty.")

const Name = z.string().trim().min(1).max(200).regex(ONE_LINE, "It must be a single line of text.")

const program = {
  coding_agent: Name.describe("Name of an account, or id of an agent whose key is in the server's environment"),
  coding_model: Name.nullish().describe("Defaults to the account's model, or else the agent's choice"),
  reasoning: Name.nullish(),
  mode: PermissionMode,
  consent: z
    .boolean()
    .default(false)
    .describe(
      "Allows an agent that never asks; required once per repository on a local server. For the first turn of a new agent with a `prompt`, also allows the repository's files that start programs, exactly as they are in the turn's starting commit",
    ),
}

export const NewAgent = z
  .object({
    name: AgentName,
    ...program,
    mode: PermissionMode.default("ask"),
    worktree: z
      .union([z.enum(["own", "shared"]), WorktreeName])
      .default("own")
      .describe(
        "own: a new worktree. shared: the session's. Otherwise the name of a worktree, whose agents take turns",
      ),
    base_branch: BranchName.optional().describe(
      "Repository branch that a new worktree starts from; defaults to the checked-out branch",
    ),
    cwd: z
      .string()
      .max(1024)
      .default("")
      .describe("Folder in the worktree to start in; must exist when the agent starts"),
    resume: NativeSession.optional().describe(
      "Session of its program in your own home on the server's machine, continued by its first turn: the session's id, or `latest` for the newest in that repository",
    ),
    prompt: Content.optional().describe("First message to it"),
  })
  .meta({ id: "NewAgent" })
export type NewAgent = z.infer<typeof NewAgent>

/**
 * Changes to an agent. Omitted fields keep their value. A new mode applies immediately, a new program from the next
 * turn on.
 */
export const AgentChanges = z
  .object({
    name: AgentName,
    ...program,
    draft: Text.max(...charLimit("message")),
  })
  .partial()
  .meta({ id: "AgentChanges" })
export type AgentChanges = z.infer<typeof AgentChanges>

export const NewAgentMessage = z
  .object({
    content: Content,
    display_as: Text.max(1000).optional().describe("Shorter text to show instead"),
    images: Uploads.optional(),
    source: z.enum(["ui", "cli", "slack", "api"]).default("api"),
    message_id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{8,64}$/)
      .optional()
      .describe("Id chosen by the sender. Sending the same id again has no effect"),
  })
  .meta({ id: "NewAgentMessage" })
export type NewAgentMessage = z.infer<typeof NewAgentMessage>

/** Outcome of sending a message. */
export const AcceptedMessage = z
  .object({
    agent_id: z.string(),
    message_id: z.string(),
    run_id: z.string().nullable().describe("Run of the turn started by the message; null while it is queued"),
    queued_at: z.int().positive().nullable().describe("Position in the queue; null if it started a turn"),
    waits_for: Agent.shape.waits_for,
  })
  .meta({ id: "AcceptedMessage" })
export type AcceptedMessage = z.infer<typeof AcceptedMessage>

/** Request to stop an agent's turn. */
export const Interrupt = z
  .object({
    // biome-ignore lint/suspicious/noThenProperty: the name that the contract gives it
    then: NewAgentMessage.optional().describe(
      "Message to deliver after the turn, and after messages that are already queued",
    ),
    message: NewAgentMessage.optional().describe("Same as then"),
  })
  .meta({ id: "Interrupt" })
export type Interrupt = z.infer<typeof Interrupt>

export const Interrupted = z
  .object({
    agent_id: z.string(),
    run_id: z.string().nullable().describe("Run of the stopped turn; null if there was none"),
    message: z.union([AcceptedMessage, z.null()]),
  })
  .meta({ id: "Interrupted" })
export type Interrupted = z.infer<typeof Interrupted>

/** Result of waiting for an agent. */
export const AgentReply = z
  .object({
    agent_id: z.string(),
    status: AgentStatus,
    text: z.string().nullable().describe("Its last reply, once it is idle"),
    seq: z.int().positive().nullable().describe("Sequence number of the reply's event"),
  })
  .meta({ id: "AgentReply" })
export type AgentReply = z.infer<typeof AgentReply>

const ToolUse = z.object({
  type: z.literal("tool_use"),
  tool_call_id: z.string(),
  tool: z.string(),
  name: z.string().nullable(),
  path: z.string().nullable(),
  command: z.string().nullable(),
  args: z.string().nullable(),
  diff: z.string().nullable().describe("Change to the file, as lines that start with - or +"),
  result: z
    .object({
      exit_code: z.number().nullable(),
      duration_ms: z.number(),
      summary: z.string(),
      output: z
        .string()
        .nullable()
        .describe("Path of an artifact with the complete output, if the summary is truncated"),
    })
    .nullable()
    .describe("Null while the tool is running"),
})

/** One block of a conversation. */
export const ConversationBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), text: z.string() }),
  ToolUse,
])
export type ConversationBlock = z.infer<typeof ConversationBlock>

/** A message to or from an agent, or a tool call by the agent. */
export const ConversationMessage = z
  .object({
    seq: z.int().positive(),
    ts: z.iso.datetime(),
    run_id: z.string().nullable(),
    role: z.enum(["user", "assistant"]),
    source: z.string().nullable().describe("Sender of a message to the agent"),
    display_as: z.string().nullable(),
    images: z.array(z.string()).describe("Images attached to a message to the agent, as session artifact paths"),
    parent_tool_call_id: z.string().nullable().describe("Tool call of the sub-agent that it belongs to"),
    blocks: z.array(ConversationBlock),
  })
  .meta({ id: "ConversationMessage" })
export type ConversationMessage = z.infer<typeof ConversationMessage>
