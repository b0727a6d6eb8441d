import * as z from "zod"
import { BranchName, WorktreeName } from "../../files/worktrees/names-schema.ts"
import { ONE_LINE } from "../../people/access/schema.ts"
import { charLimit } from "../../text-limits-schema.ts"
import { CHAT_AGENT, MOMENT_AGENT, PAGE_AGENT, READING_AGENT } from "../../work/chat/schema.ts"
import { CHECKER } from "../../work/gate/schema.ts"
import { TRAIN_AGENT } from "../../work/trains/agent-schema.ts"
import { CliId, Todo } from "../clis/schema.ts"
import { PermissionMode } from "../permissions/schema.ts"
import { MAIN_AGENT, NativeSession, Uploads } from "./schema.ts"

/** The kinds of agents. */
export const AgentKind = z.enum(["cli"])
export type AgentKind = z.infer<typeof AgentKind>

/** Names that stand for something else where an agent is named, or will. */
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

/** The name of an agent that is created. It is no id, so that both can stand in the same place. */
export const AgentName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  .refine((name) => !MADE_ID.test(name), "This looks like an agent's id.")
  .refine((name) => !RESERVED.has(name.toLowerCase()), "This name is reserved.")

/**
 * The state of an agent, as it follows from what happened. `starting`: its next turn has not begun, be it that it waits for
 * a runner, for a worktree or for other agents.
 */
export const AgentStatus = z.enum(["starting", "idle", "busy", "needs_input", "parked", "closed"])
export type AgentStatus = z.infer<typeof AgentStatus>

/** An agent of a session, as the API shows it. */
export const Agent = z
  .object({
    agent_id: z.string(),
    name: z.string(),
    kind: AgentKind,
    status: AgentStatus,
    coding_agent: z.string().nullable().describe("The account's name, else the program's; null before it has one"),
    cli: CliId.nullable(),
    account: z.string().nullable(),
    model: z.string().nullable(),
    reasoning: z.string().nullable(),
    mode: PermissionMode,
    worktree: z.string(),
    cwd: z.string().describe("The folder of its worktree in which it starts; empty for the worktree itself"),
    parent: z.string().nullable().describe("The agent that started it"),
    native_session_id: z.string().nullable().describe("Its program's own session, which the next turn resumes"),
    run_id: z.string().nullable().describe("The turn that it is at, or that waits to begin"),
    interrupting: z.boolean().describe("Whether that turn was asked to stop"),
    queued: z.int().nonnegative().describe("Messages that wait until it is idle"),
    waits_for: z
      .enum(["agents", "worktree", "team"])
      .nullable()
      .describe(
        "Why queued messages wait though it is idle: too many agents are at work, another one is in its worktree, or its team stands still",
      ),
    created_at: z.iso.datetime().nullable().describe("Null for an agent that was there from the beginning"),
    closed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Agent" })
export type Agent = z.infer<typeof Agent>

/** One agent, with what a list leaves out. */
export const AgentDetails = Agent.extend({
  draft: z.string().describe("The unsent message to it"),
  todos: z.array(Todo).describe("What it means to do, as it said last"),
  queue: z.array(z.object({ message_id: z.string(), seq: z.int().positive(), content: z.string() })),
}).meta({ id: "AgentDetails" })
export type AgentDetails = z.infer<typeof AgentDetails>

/** No program takes a NUL in what it is told, and half a character can't be written down as it came. */
const Text = z.string().refine((text) => text.isWellFormed() && !text.includes("\0"), "Invalid Unicode")

const Content = Text.max(...charLimit("message")).refine((text) => text.trim() !== "", "It says nothing.")

const Name = z.string().trim().min(1).max(200).regex(ONE_LINE, "It must be a single line of text.")

const program = {
  coding_agent: Name.describe("An account's name; else an agent's id, with a key of the server's environment"),
  coding_model: Name.nullish().describe("Else the account's, else what the agent chooses"),
  reasoning: Name.nullish(),
  mode: PermissionMode,
  consent: z
    .boolean()
    .default(false)
    .describe(
      "Allows an agent that asks nothing, once for each repository on a local server; of a new agent with a `prompt`, for that turn, also the repository's files that start programs, exactly as they are in the commit from which the turn begins",
    ),
}

/** A new agent. */
export const NewAgent = z
  .object({
    name: AgentName,
    ...program,
    mode: PermissionMode.default("ask"),
    worktree: z
      .union([z.enum(["own", "shared"]), WorktreeName])
      .default("own")
      .describe("own: one of its own. shared: the session's. Else the name of one; its agents take turns in it"),
    base_branch: BranchName.optional().describe(
      "Of a repository: the branch to begin from where the worktree isn't there yet; else the one that is checked out",
    ),
    cwd: z
      .string()
      .max(1024)
      .default("")
      .describe("The folder of the worktree to start in, which must be there by then"),
    resume: NativeSession.optional().describe(
      "A session of its program in your own home on the server's machine, with which its first turn goes on: its id, or `latest` for the newest one in that repository",
    ),
    prompt: Content.optional().describe("The first message to it"),
  })
  .meta({ id: "NewAgent" })
export type NewAgent = z.infer<typeof NewAgent>

/** Changes to an agent; what isn't named stays. The mode counts at once, the program from the next turn on. */
export const AgentChanges = z
  .object({
    name: AgentName,
    ...program,
    draft: Text.max(...charLimit("message")),
  })
  .partial()
  .meta({ id: "AgentChanges" })
export type AgentChanges = z.infer<typeof AgentChanges>

/** A message to an agent. */
export const NewAgentMessage = z
  .object({
    content: Content,
    display_as: Text.max(1000).optional().describe("A shorter text to show in its place"),
    images: Uploads.optional(),
    source: z.enum(["ui", "cli", "slack", "api"]).default("api"),
    message_id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{8,64}$/)
      .optional()
      .describe("The sender's own id: a message that comes again with it counts once"),
  })
  .meta({ id: "NewAgentMessage" })
export type NewAgentMessage = z.infer<typeof NewAgentMessage>

/** The outcome of posting a message. */
export const AcceptedMessage = z
  .object({
    agent_id: z.string(),
    message_id: z.string(),
    run_id: z.string().nullable().describe("The turn that it began; null while it waits"),
    queued_at: z.int().positive().nullable().describe("Its place among those that wait; null if it began a turn"),
    waits_for: Agent.shape.waits_for,
  })
  .meta({ id: "AcceptedMessage" })
export type AcceptedMessage = z.infer<typeof AcceptedMessage>

/** A request to stop an agent's turn. */
export const Interrupt = z
  .object({
    // biome-ignore lint/suspicious/noThenProperty: the name that the contract gives it
    then: NewAgentMessage.optional().describe("Delivered once the turn is over, after what waits already"),
    message: NewAgentMessage.optional().describe("The same"),
  })
  .meta({ id: "Interrupt" })
export type Interrupt = z.infer<typeof Interrupt>

export const Interrupted = z
  .object({
    agent_id: z.string(),
    run_id: z.string().nullable().describe("The turn that stops; null where none was under way"),
    message: z.union([AcceptedMessage, z.null()]),
  })
  .meta({ id: "Interrupted" })
export type Interrupted = z.infer<typeof Interrupted>

/** The end of waiting for an agent. */
export const AgentReply = z
  .object({
    agent_id: z.string(),
    status: AgentStatus,
    text: z.string().nullable().describe("What it said last, once it is idle"),
    seq: z.int().positive().nullable().describe("The event of that"),
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
  diff: z.string().nullable().describe("The change to the file: lines that begin with - and +"),
  result: z
    .object({
      exit_code: z.number().nullable(),
      duration_ms: z.number(),
      summary: z.string(),
      output: z.string().nullable().describe("The path of an artifact with all of it, where that is more"),
    })
    .nullable()
    .describe("Null while it runs"),
})

/** One piece of a conversation. */
export const ConversationBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), text: z.string() }),
  ToolUse,
])
export type ConversationBlock = z.infer<typeof ConversationBlock>

/** One thing that an agent was told, said or did. */
export const ConversationMessage = z
  .object({
    seq: z.int().positive(),
    ts: z.iso.datetime(),
    run_id: z.string().nullable(),
    role: z.enum(["user", "assistant"]),
    source: z.string().nullable().describe("Of a message to it: its sender"),
    display_as: z.string().nullable(),
    images: z.array(z.string()).describe("Of a message to it: each the path of an artifact of the session"),
    parent_tool_call_id: z.string().nullable().describe("The tool call of the sub-agent that says or does it"),
    blocks: z.array(ConversationBlock),
  })
  .meta({ id: "ConversationMessage" })
export type ConversationMessage = z.infer<typeof ConversationMessage>
