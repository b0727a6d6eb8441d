import * as z from "zod"
import { NodeName, NodeUpdate, WorkflowInput } from "../workflow/schema.ts"
import { CommittedChange } from "../workspaces/schema.ts"

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
  }),
  event("session_deleted", "The session and its files are gone for everyone; its data is removed soon after.", {
    incarnation: z.int().positive(),
    reason: z.enum(["request", "retention"]),
  }),

  runEvent("run_created", "A run was accepted and waits for an executor.", {
    kind: z.literal("workflow"),
    model: z.string(),
    title: z.string().optional().describe("What it was asked, in a few words"),
    input: large(WorkflowInput),
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
  event("tool_call_started", "A model uses a tool.", {
    ...inNode,
    tool_call_id: z.string(),
    tool: z.enum(["bash", "read", "write", "edit", "mcp", "glob", "grep", "other"]),
    path: z.string().optional(),
    file_bytes: z.number().optional(),
    sha256: z.string().optional(),
  }),
  event("tool_call_finished", "The tool answered.", {
    ...inNode,
    tool_call_id: z.string(),
    exit_code: z.number().nullable(),
    duration_ms: z.number(),
    llm_summary: z.string(),
  }),
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
