import * as z from "zod"
import { WorktreeName } from "../../files/worktrees/names-schema.ts"
import { agentEvent, event, runEvent } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { UsageCounts } from "../../models/schema.ts"
import { CliId, Outcome, ProblemKind, Todo } from "../clis/schema.ts"
import { PermissionMode, PermissionRule } from "../permissions/schema.ts"
import { AgentKind } from "./agent-schema.ts"
import { AgentProgram, MessageBlock, Progress } from "./schema.ts"

const images = z.array(z.string()).optional().describe("Hashes of images that came with it, among the artifacts")

/** The agents of a session, the turns of each, and the conversation with it. */
export const agentEvents = [
  agentEvent("agent_created", "An agent joined the session.", {
    kind: AgentKind,
    name: z.string(),
    ...AgentProgram.shape,
    mode: PermissionMode,
    worktree: WorktreeName.describe("The session's worktree that it works in"),
    base_branch: z.string().optional().describe("The branch from which its worktree is made"),
    cwd: z.string().optional().describe("The folder of the worktree in which it starts; the worktree itself if absent"),
    resume_session: z.string().optional().describe("A session of its program, begun outside, with which it goes on"),
    parent: z.string().optional().describe("The agent that started it"),
    consent: z
      .literal(true)
      .optional()
      .describe("Its first turn has consent to files that start programs, as they are in the commit of its start"),
  }),
  agentEvent("agent_renamed", "An agent got another name.", { name: z.string() }),
  agentEvent(
    "agent_program_changed",
    "The agent's next turn has another program, account or model.",
    AgentProgram.shape,
  ),
  agentEvent("agent_draft_changed", "The unsent message to an agent changed.", { draft: large(z.string()) }),
  agentEvent("agent_message_queued", "A message to an agent waits until the agent is idle.", {
    message_id: z.string(),
    content: large(z.string()),
    display_as: z.string().optional().describe("A shorter text to show in its place"),
    images,
    source: z
      .string()
      .describe(
        "ui, cli, slack or api; agent:<name> for another agent's, answer for a person's, collisions for the product's",
      ),
    from: z.string().optional().describe("The agent that sent it, by its id"),
    asking_run: z
      .string()
      .optional()
      .describe("The sender's run. Present if an answer is owed, for which that run waits at first"),
    reminds_of: z.string().optional().describe("The message whose answer is owed still"),
    quiet: z.literal(true).optional().describe("It waits for the agent's next turn, and begins none"),
  }),
  agentEvent("agent_ask_released", "The agent that asked no longer waits: the answer comes as a message.", {
    message_id: z.string(),
  }),
  agentEvent("agent_ask_ended", "No answer to an agent's question is owed any more by this agent.", {
    message_id: z.string(),
    reason: z
      .enum(["answered", "closed", "interrupted", "failed", "silent"])
      .describe("answered: in its own words. silent: it was reminded, and said nothing"),
    answer: large(z.string()).describe("What the agent that asked gets"),
  }),
  runEvent("agent_message_delivered", "Messages became the agent's turn, all in one.", {
    message_ids: z.array(z.string()),
  }),
  agentEvent("agent_closed", "An agent left the session. Its worktree stays.", { reason: z.string() }),
  event("agent_turn_started", "An agent's program was started for a turn.", {
    cli: CliId,
    model: z.string().nullable(),
    pty: z.string(),
    attempt: z.int().positive().describe("Above 1 if an earlier turn ended without a summary"),
    mode: PermissionMode.optional(),
    rules: z.array(PermissionRule).optional().describe("What it may do besides, or may not"),
  }),
  event("agent_turn_finished", "The agent's turn ended; none of its processes is left.", {
    outcome: Outcome,
    exit_code: z.number().nullable(),
    duration_ms: z.number(),
  }),
  event("agent_session_opened", "The agent's program reported the id by which its session can be resumed.", {
    cli: CliId,
    native_session_id: z.string(),
    model: z.string().nullable(),
  }),
  event("agent_usage", "The usage of an agent's turn, as its program reports it.", {
    cli: CliId,
    usage: UsageCounts,
    cost_usd: z.number().nullable().describe("Of the whole turn so far"),
    basis: z
      .enum(["requests", "turn"])
      .optional()
      .describe(
        "requests: of the model's answers since the last such event. turn: of the whole turn so far, by the program",
      ),
  }),
  event("agent_quota", "The used part of an account's limit, as the agent's program reports it.", {
    cli: CliId,
    window: z.string(),
    used_percent: z.number(),
    resets_at: z.iso.datetime().nullable(),
  }),
  event("agent_context", "The filled part of the room that an agent's conversation has, as its program reports it.", {
    cli: CliId,
    used_tokens: z.number(),
    window_tokens: z.number().nullable().describe("The whole of it; null until the program has told"),
  }),
  event("agent_retried", "The agent's program retries a call of its model.", {
    problem: ProblemKind,
    message: z.string(),
  }),
  event(
    "agent_permitted",
    "The agent's program asked for permission to use a tool, and got it from its mode or a rule.",
    {
      tool: z.string(),
    },
  ),
  event("agent_refused", "The agent's program asked for permission to use a tool, which its mode or a rule forbids.", {
    tool: z.string(),
    reason: z.string(),
  }),
  event("agent_todos_changed", "The agent's own list of what it means to do, as it is now.", {
    todos: z.array(Todo),
  }),
  event("agent_notice", "A warning about the agent, which continues.", { text: z.string() }),
  event("user_message", "A message to the agent, from a person or from the product on their behalf.", {
    content: large(z.string()),
    display_as: z.string().optional().describe("A shorter text to show in its place"),
    images,
    source: z.string().describe("task, continuation, terminal, ui, cli, slack or api; agent:<name> for an agent's"),
  }),
  event("assistant_message", "A message from the agent.", {
    blocks: large(z.array(MessageBlock)),
    parent_tool_call_id: z.string().optional().describe("The call of the sub-agent that says it"),
  }),
  event("progress", "The agent's own report of its progress.", Progress.shape),
  event("milestone", "A result worth knowing without reading the rest.", {
    milestone_type: z.string(),
    title: z.string(),
    summary: z.string(),
    details: z.record(z.string(), z.json()),
  }),
] as const
