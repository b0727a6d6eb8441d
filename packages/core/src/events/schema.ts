import * as z from "zod"
import { AgentInput, MessageBlock, Progress } from "../agents/schema.ts"
import { CliId, Outcome, ProblemKind, ToolKind } from "../clis/schema.ts"
import { NodeName, NodeUpdate, WorkflowInput } from "../workflow/schema.ts"
import { CommittedChange } from "../workspaces/schema.ts"
import { WorktreeQuestion } from "../worktrees/questions.ts"
import { LeftOut, SavedProject } from "../worktrees/saved.ts"
import { Branches, Conflicts, FullDiff, HeldDeletions, WorktreeStatus } from "../worktrees/schema.ts"
import { WorktreeCommand } from "../worktrees/worktrees.ts"

/** Where a field above 32 KB lies instead: JSON in a blob. */
export const PayloadRef = z.object({ sha256: z.string(), size_bytes: z.number(), key: z.string() })
export type PayloadRef = z.infer<typeof PayloadRef>

/** A field that may lie in a blob. Nothing that a rule decides on is ever one. */
function large<T extends z.ZodType>(schema: T) {
  return z.union([PayloadRef, schema])
}

function event<T extends string, Shape extends z.ZodRawShape>(type: T, description: string, payload: Shape) {
  return z
    .object({
      type: z.literal(type),
      run_id: z.string().optional(),
      agent_id: z.string().optional(),
      turn_id: z.string().optional(),
      ...payload,
    })
    .describe(description)
}

function runEvent<T extends string, Shape extends z.ZodRawShape>(type: T, description: string, payload: Shape) {
  return z
    .object({
      type: z.literal(type),
      run_id: z.string(),
      agent_id: z.string(),
      turn_id: z.string().optional(),
      ...payload,
    })
    .describe(description)
}

const generation = z.int().positive()
const inNode = { node: NodeName, iteration: z.int().positive(), namespace: z.array(z.string()) }

/** `waiting`: it could not be had, and is asked for again. `lost`: it was there, and went before it served anybody. */
const RunnerPhase = z.enum(["requested", "provisioning", "pending", "running", "waiting", "lost"])

/** Where the node of a workflow speaks; an agent is in none. */
const maybeInNode = {
  node: NodeName.optional(),
  iteration: z.int().positive().optional(),
  namespace: z.array(z.string()).optional(),
}

/** Token counts as the provider reported them; null where it did not. */
const UsageCounts = z.object({
  input: z.number().nullable(),
  cache_read: z.number().nullable(),
  cache_write: z.number().nullable(),
  output: z.number().nullable(),
})

/** Everything that can happen in a session. */
export const SessionEvent = z.discriminatedUnion("type", [
  event("session_opened", "The session began, or began anew after it was deleted.", {
    session_id: z.string(),
    incarnation: z.int().positive(),
    name: z.string().optional().describe("As its owner calls it"),
    repository: z.string().optional().describe("What its agents work in: a local path or a URL to clone"),
  }),
  event("session_deleted", "The session and its files are gone for everyone; its data is removed soon after.", {
    incarnation: z.int().positive(),
    reason: z.enum(["request", "retention"]),
  }),

  runEvent("run_created", "A run was accepted and waits for an executor.", {
    kind: z.enum(["workflow", "agent"]),
    model: z.string(),
    title: z.string().optional().describe("What it was asked, in a few words"),
    repository: z.string().optional().describe("What an agent works in, where that isn't the session's own workspace"),
    input: large(z.union([WorkflowInput, AgentInput])),
  }),
  runEvent(
    "run_relaunched",
    "Nobody had claimed the run in time, or its executor was presumed dead: it was started again.",
    {
      attempt: z.int().positive(),
      reason: z.string(),
    },
  ),
  runEvent("run_claimed", "An executor took the run. Whatever an older generation still says no longer counts.", {
    generation,
    executor: z.string(),
  }),
  runEvent("run_handed_over", "The executor ran out of time between two steps; a successor goes on.", {
    generation,
  }),
  runEvent("run_parked", "The run waits and holds nothing.", { generation, reason: z.string() }),
  runEvent("run_resumed", "A parked run may be claimed again.", {}),
  runEvent("run_cancel_requested", "Someone asked the run to stop; whatever ends afterwards ends as cancelled.", {
    reason: z.string(),
  }),
  runEvent("run_completed", "The run ended well.", {
    duration_ms: z.number(),
    workspace_version: z.int().nonnegative(),
  }),
  runEvent("run_failed", "The run ended with an error.", {
    duration_ms: z.number(),
    error_type: z.string(),
    message: z.string(),
    hint: z.string(),
    exception_chain: z.array(z.string()).optional().describe("Only where verbose errors are switched on"),
  }),
  runEvent("run_cancelled", "The run was stopped on request.", {
    duration_ms: z.number(),
    reason: z.string(),
  }),

  event("workspace_committed", "A new version of the files: this event is the commit.", {
    version: z.int().positive(),
    manifest: z.string().describe("sha256 of the manifest"),
    changes: large(z.array(CommittedChange)),
    file_count: z.int().nonnegative().optional(),
    step: z.string().optional().describe("The step of a run that is finished by this commit"),
  }),

  event("node_started", "A node of the workflow began a visit.", {
    ...inNode,
    step: z.int(),
    task_id: z.string(),
    triggers: z.array(z.string()),
  }),
  event("node_finished", "A node of the workflow ended a visit.", {
    ...inNode,
    step: z.int(),
    task_id: z.string(),
    duration_ms: z.number(),
    update: large(NodeUpdate),
  }),
  event("model_text", "Text of a model, gathered for a moment; `lengths` cuts it into the pieces in which it came.", {
    ...inNode,
    text: z.string(),
    lengths: z.array(z.int().positive()),
  }),
  event("model_usage", "What one model call used.", { ...inNode, model: z.string(), usage: UsageCounts }),
  event("model_retried", "A model call failed before it said anything and is made again.", {
    ...inNode,
    error_type: z.string(),
    attempt: z.int().positive(),
    wait_ms: z.number(),
  }),
  event("tool_call_started", "A model, or an agent, uses a tool.", {
    ...maybeInNode,
    tool_call_id: z.string(),
    tool: ToolKind,
    name: z.string().optional().describe("What the agent itself calls the tool"),
    path: z.string().optional(),
    file_bytes: z.number().optional(),
    sha256: z.string().optional(),
    command: z.string().optional(),
    server: z.string().optional().describe("The MCP server"),
    args: z.string().optional().describe("JSON, clipped"),
  }),
  event("tool_call_finished", "The tool answered.", {
    ...maybeInNode,
    tool_call_id: z.string(),
    exit_code: z.number().nullable(),
    duration_ms: z.number(),
    llm_summary: z.string(),
  }),

  event("runner_awaited", "A runner is on its way, and so far it has come.", {
    generation,
    attempt: z.int().positive(),
    phase: RunnerPhase,
    reason: z.string().optional().describe("What keeps it"),
  }),
  event("runner_claimed", "A runner serves the session; an older one's terminals are dead.", {
    generation,
    executor: z.string(),
  }),
  event("runner_parked", "The runner had nothing left to do, or had to go, and holds nothing any more.", {
    generation,
    reason: z.string(),
  }),
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
  event("worktree_command_requested", "Somebody asked something of the session's worktree; a runner does it.", {
    command_id: z.string(),
    command: large(z.union([WorktreeCommand, WorktreeQuestion])),
  }),
  event("worktree_command_finished", "It was done, or could not be.", {
    command_id: z.string(),
    answer: large(z.record(z.string(), z.json())).nullable(),
    error: z
      .object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.json()) })
      .nullable()
      .describe("Why not, in the words of any other answer of the API"),
  }),
  event("worktree_changed", "How the session's worktree is now: what questions about it are answered from.", {
    status: WorktreeStatus,
    branches: large(Branches),
    diff: large(FullDiff).nullable(),
    conflicts: large(Conflicts).nullable(),
  }),
  event("deletions_held", "Work deleted more than half of the session's files: they stay until somebody confirms.", {
    ...HeldDeletions.shape,
    file_count: z.int().nonnegative().describe("How many files the session had"),
  }),
  event("deletions_settled", "No deletions wait to be confirmed any more.", {
    confirmed: z.boolean().describe("Whether the files went; else they are in the worktree again, or it is gone"),
  }),
  event("project_saved", "Should the runner's machine be lost, the work and the agent's memory go on from here.", {
    repository: z.string().nullable(),
    save: large(SavedProject),
    left_out: z.array(LeftOut).describe("What isn't saved, the first hundred"),
  }),
  event("terminal_opened", "A terminal began: its bytes are in a log of its own.", {
    pty: z.string(),
    kind: z.enum(["driver", "tui", "shell"]).describe("Who speaks with the program: the product, or a person"),
    title: z.string(),
    rows: z.int(),
    cols: z.int(),
  }),
  event("terminal_closed", "The program of a terminal ended, and nothing of it runs any more.", {
    pty: z.string(),
    exit_code: z.number().nullable(),
    signal: z.number().nullable(),
    recording: z.string().nullable().describe("Key of the recording, as asciicast"),
  }),
  event("terminal_output", "The last screen of a terminal, as text.", { pty: z.string(), data: large(z.string()) }),
])
export type SessionEvent = z.infer<typeof SessionEvent>
export type EventType = SessionEvent["type"]

/** An event that is about to be appended. */
export type NewEvent = SessionEvent

/** What the log adds. `seq` is order and identity; `ts` is for people. */
export const EventPlace = z.object({ event_id: z.string(), seq: z.int().positive(), ts: z.iso.datetime() })
export type EventPlace = z.infer<typeof EventPlace>

/** An event as it stands in a log. A reader may meet types that it doesn't know, and keeps them. */
export type LogEvent = NewEvent & EventPlace
export const LogEvent = z.intersection(EventPlace, z.looseObject({ type: z.string() }))

export type EventOf<T extends EventType> = Extract<LogEvent, { type: T }>
