import * as z from "zod"
import { WorktreeName } from "../../files/worktrees/names-schema.ts"
import { agentEvent, event, runEvent } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { UsageCounts } from "../../models/schema.ts"
import { CliId } from "../clis/clis.ts"
import { Outcome, ProblemKind, Todo } from "../clis/schema.ts"
import { PermissionMode, PermissionRule } from "../permissions/schema.ts"
import { AgentKind } from "./agent-schema.ts"
import { AgentProgram, MessageBlock, Progress } from "./schema.ts"

const images = z.array(z.string()).optional().describe("Hashes of attached images, which are stored as artifacts")

/** Events about a session's agents, their turns and their conversations. */
export const agentEvents = [
  agentEvent("agent_created", "An agent joined the session.", {
    kind: AgentKind,
    name: z.string(),
    ...AgentProgram.shape,
    mode: PermissionMode,
    worktree: WorktreeName.describe("Worktree of the session that it works in"),
    base_branch: z.string().optional().describe("Starting branch of its worktree"),
    cwd: z.string().optional().describe("Folder in the worktree to start in; defaults to the worktree itself"),
    resume_session: z.string().optional().describe("Session of its program, started elsewhere, that it continues"),
    parent: z.string().optional().describe("Agent that started it"),
    consent: z
      .literal(true)
      .optional()
      .describe("Its first turn has consent to the files that start programs, as they are in its starting commit"),
  }),
  agentEvent("agent_renamed", "An agent was renamed.", { name: z.string() }),
  agentEvent(
    "agent_program_changed",
    "The agent's program, account or model changes with its next turn.",
    AgentProgram.shape,
  ),
  agentEvent("agent_draft_changed", "The unsent message to an agent changed.", { draft: large(z.string()) }),
  agentEvent("agent_message_queued", "A message was queued until the agent is idle.", {
    message_id: z.string(),
    content: large(z.string()),
    display_as: z.string().optional().describe("Shorter text to show instead"),
    images,
    source: z
      .string()
      .describe(
        "ui, cli, slack or api; agent:<name> for another agent, answer for a person's answer, collisions for the product",
      ),
    from: z.string().optional().describe("Id of the agent that sent it"),
    asking_run: z
      .string()
      .optional()
      .describe("Run of the sender, which initially waits for the answer. Present only if an answer is expected"),
    reminds_of: z.string().optional().describe("Unanswered message that this one is a reminder of"),
    quiet: z
      .literal(true)
      .optional()
      .describe("True if the message waits for the agent's next turn instead of starting one"),
  }),
  agentEvent("agent_ask_released", "The asking agent is no longer waiting. The answer will arrive as a message.", {
    message_id: z.string(),
  }),
  agentEvent("agent_ask_ended", "This agent's answer to another agent's question is no longer expected.", {
    message_id: z.string(),
    reason: z
      .enum(["answered", "closed", "interrupted", "failed", "silent"])
      .describe("answered: by the agent itself. silent: no answer despite reminders"),
    answer: large(z.string()).describe("Text for the asking agent"),
  }),
  runEvent("agent_message_delivered", "Queued messages were delivered to the agent as one turn.", {
    message_ids: z.array(z.string()),
  }),
  agentEvent("agent_closed", "An agent was closed. Its worktree remains.", { reason: z.string() }),
  event("agent_turn_started", "An agent's program was started for a turn.", {
    cli: CliId,
    model: z.string().nullable(),
    pty: z.string(),
    attempt: z.int().positive().describe("Greater than 1 if an earlier turn ended without a summary"),
    mode: PermissionMode.optional(),
    rules: z.array(PermissionRule).optional().describe("Additional permission rules"),
  }),
  event("agent_turn_finished", "The agent's turn ended, and all its processes are gone.", {
    outcome: Outcome,
    exit_code: z.number().nullable(),
    duration_ms: z.number(),
  }),
  event("agent_session_opened", "The agent's program reported the id for resuming its session.", {
    cli: CliId,
    native_session_id: z.string(),
    model: z.string().nullable(),
  }),
  event("agent_usage", "The usage of an agent's turn, as reported by its program.", {
    cli: CliId,
    usage: UsageCounts,
    cost_usd: z.number().nullable().describe("Cost of the whole turn so far"),
    basis: z
      .enum(["requests", "turn"])
      .optional()
      .describe(
        "requests: usage of model answers since the previous event of this type. turn: usage of the whole turn so far, as reported by the program",
      ),
  }),
  event("agent_quota", "How much of an account's limit is used, as reported by the agent's program.", {
    cli: CliId,
    window: z.string(),
    used_percent: z.number(),
    resets_at: z.iso.datetime().nullable(),
  }),
  event("agent_context", "How much of an agent's context window is used, as reported by its program.", {
    cli: CliId,
    used_tokens: z.number(),
    window_tokens: z.number().nullable().describe("Size of the context window; null until reported"),
  }),
  event("agent_retried", "The agent's program is retrying a model call.", {
    problem: ProblemKind,
    message: z.string(),
  }),
  event(
    "agent_permitted",
    "The agent's program asked for permission to use a tool, and its mode or a rule allowed it.",
    {
      tool: z.string(),
    },
  ),
  event("agent_refused", "The agent's program asked for permission to use a tool, and its mode or a rule refused it.", {
    tool: z.string(),
    reason: z.string(),
  }),
  event("agent_todos_changed", "The agent's current to-do list.", {
    todos: z.array(Todo),
  }),
  event("agent_notice", "A warning about the agent. The agent continues.", { text: z.string() }),
  event("user_message", "A message to the agent, from a person or from the product on their behalf.", {
    content: large(z.string()),
    display_as: z.string().optional().describe("Shorter text to show instead"),
    images,
    source: z
      .string()
      .describe(
        "task, continuation, terminal, ui, cli, slack or api; history from the session that the agent continues; agent:<name> from an agent",
      ),
  }),
  event("assistant_message", "A message from the agent.", {
    blocks: large(z.array(MessageBlock)),
    parent_tool_call_id: z.string().optional().describe("Tool call of the sub-agent that wrote it"),
  }),
  event("progress", "The agent's own progress report.", Progress.shape),
  event("milestone", "A result worth knowing even without the details.", {
    milestone_type: z.string(),
    title: z.string(),
    summary: z.string(),
    details: z.record(z.string(), z.json()),
  }),
] as const
