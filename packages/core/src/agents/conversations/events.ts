import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { UsageCounts } from "../../models/schema.ts"
import { CliId, Outcome, ProblemKind } from "../clis/schema.ts"
import { MessageBlock, Progress } from "./schema.ts"

/** The turns of an agent, and the conversation with it. */
export const agentEvents = [
  event("agent_turn_started", "An agent's program was started for a turn.", {
    cli: CliId,
    model: z.string().nullable(),
    pty: z.string(),
    attempt: z.int().positive().describe("Above 1 where a turn before it ended without its summary"),
  }),
  event("agent_turn_finished", "The agent's program is gone, and this came of its turn.", {
    outcome: Outcome,
    exit_code: z.number().nullable(),
    duration_ms: z.number(),
  }),
  event("agent_session_opened", "The session by whose id the agent's own program can go on.", {
    cli: CliId,
    native_session_id: z.string(),
    model: z.string().nullable(),
  }),
  event("agent_usage", "What an agent's turn used, as far as its program tells.", {
    cli: CliId,
    usage: UsageCounts,
    cost_usd: z.number().nullable(),
  }),
  event("agent_quota", "How much of its account's limit is used, as the agent's program reports it.", {
    cli: CliId,
    window: z.string(),
    used_percent: z.number(),
    resets_at: z.iso.datetime().nullable(),
  }),
  event("agent_retried", "The agent's program asks its model again.", { problem: ProblemKind, message: z.string() }),
  event("agent_permitted", "The agent's program asked whether it may use a tool, and was allowed to.", {
    tool: z.string(),
  }),
  event("agent_notice", "A warning of the agent's program, with which it goes on.", { text: z.string() }),
  event("user_message", "What a person, or the product in their name, said to the agent.", {
    content: large(z.string()),
    source: z.string().describe("task, continuation, terminal, ui, cli or api"),
  }),
  event("assistant_message", "What an agent said in one go.", { blocks: large(z.array(MessageBlock)) }),
  event("progress", "Where an agent says that it is.", Progress.shape),
  event("milestone", "Something that people want to know without reading on.", {
    milestone_type: z.string(),
    title: z.string(),
    summary: z.string(),
    details: z.record(z.string(), z.json()),
  }),
] as const
