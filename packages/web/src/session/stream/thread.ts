import type { QuestionContent } from "./agent.ts"
import { type EventOfType, inlined, type StudioEvent } from "./event.ts"
import { promptOf } from "./run.ts"

/**
 * The conversation with one agent, oldest first: messages to it, its answers, and its tool calls with their results.
 */
export type Thread = readonly ThreadItem[]

export interface ToolCall {
  toolCallId: string
  tool: string
  name: string | null
  path: string | null
  command: string | null
  args: string | null
  /** Lines that begin with - and +. */
  diff: string | null
  /** Null while it is running. */
  result: ToolResult | null
  /** Conversation of a sub-agent that works for it. */
  inner: Thread
}

export interface ToolResult {
  exitCode: number | null
  durationMs: number
  /** Beginning of its output. */
  summary: string
  /** Path of an artifact with the full output, if there is more. */
  output: string | null
}

/** A row. `seq` is the event with which it began, which identifies it permanently. */
export type ThreadItem = { seq: number; ts: string } & (
  | { type: "told"; source: string; text: string; images: readonly string[]; startsRun?: string }
  | { type: "said"; text: string; isWriting: boolean }
  | { type: "thought"; text: string }
  | { type: "tool"; call: ToolCall }
  | { type: "question"; questionId: string; content: QuestionContent | undefined; answer: GivenAnswer | null }
  | { type: "notice"; text: string; tone: "info" | "warn" | "error" }
  | { type: "ended"; status: "completed" | "failed" | "cancelled"; durationMs: number; message: string | null }
)

interface GivenAnswer {
  choice: string
  text: string | null
  by: string
}

/** Returns the conversation after one more event from its agent; the same object if the event isn't part of it. */
export function reduceThread(thread: Thread, event: StudioEvent): Thread {
  const parent = "parent_tool_call_id" in event ? event.parent_tool_call_id : undefined
  if (parent !== undefined)
    return withCall(thread, parent, (call) => ({ ...call, inner: reduceOwn(call.inner, event) }))
  return reduceOwn(thread, event)
}

function reduceOwn(thread: Thread, event: StudioEvent): Thread {
  const { seq, ts } = event
  switch (event.type) {
    case "run_created":
      return started(thread, event)
    case "user_message": {
      // The product's own instructions to an agent aren't shown.
      if (event.source === "continuation") return thread
      const { source, images = [] } = event
      return [...withoutTask(thread, event), { type: "told", seq, ts, source, text: toldText(event), images }]
    }
    case "model_text":
      // A workflow node writes plans and several files at once. Its conversation is shown next to its run.
      return event.node === undefined ? writing(thread, event) : thread
    case "assistant_message":
      return [...withoutWriting(thread), ...saidBy(event)]
    case "tool_call_started":
      return [...thread, { type: "tool", seq, ts, call: callOf(event) }]
    case "tool_call_finished":
      return finished(thread, event)
    case "question_asked": {
      const { question_id: questionId, question } = event
      return [...thread, { type: "question", seq, ts, questionId, content: inlined(question), answer: null }]
    }
    case "question_answered": {
      const { choice, text = null } = event.answer
      return answered(thread, event.question_id, { choice, text, by: event.by })
    }
    case "question_withdrawn":
      return thread.filter((item) => item.type !== "question" || item.questionId !== event.question_id)
    case "agent_notice":
      return [...thread, { type: "notice", seq, ts, text: event.text, tone: "warn" }]
    case "agent_retried":
      return [...thread, { type: "notice", seq, ts, text: `Retrying: ${event.message}`, tone: "warn" }]
    case "agent_refused":
      return [...thread, { type: "notice", seq, ts, text: `Denied ${event.tool}: ${event.reason}`, tone: "info" }]
    case "run_completed":
      return ended(thread, event, "completed", event.warning ?? null)
    case "run_failed":
      return ended(thread, event, "failed", event.message)
    case "run_cancelled":
      return ended(thread, event, "cancelled", null)
    default:
      return thread
  }
}

/** Shows a task from its start on, before the agent's program receives it. */
function started(thread: Thread, { seq, ts, run_id, program, input }: EventOfType<"run_created">): Thread {
  const request = inlined(input)
  const text = promptOf(input)
  // The messages of a conversation are in the log already.
  const isConversation = request !== undefined && "messages" in request && request.messages !== undefined
  if (!program || text === undefined || isConversation) return thread
  return [...thread, { type: "told", seq, ts, source: "task", text, images: [], startsRun: run_id }]
}

/** The task as the agent received it replaces the one shown from the start on. */
function withoutTask(thread: Thread, { source, run_id }: EventOfType<"user_message">): Thread {
  if (source !== "task" || run_id === undefined) return thread
  return thread.filter((item) => item.type !== "told" || item.startsRun !== run_id)
}

function toldText({ content, display_as }: EventOfType<"user_message">): string {
  return display_as ?? inlined(content) ?? "This message is no longer available."
}

function saidBy(event: EventOfType<"assistant_message">): ThreadItem[] {
  const blocks = inlined(event.blocks) ?? []
  return blocks.map(({ kind, content }, index): ThreadItem => {
    const about = { seq: event.seq + index / PARTS, ts: event.ts }
    return kind === "thinking"
      ? { type: "thought", ...about, text: content }
      : { type: "said", ...about, text: content, isWriting: false }
  })
}

/** The parts of a message get numbers of their own, between its event's and the next. */
const PARTS = 1024

function writing(thread: Thread, { seq, ts, text }: EventOfType<"model_text">): Thread {
  const last = thread.at(-1)
  if (last?.type === "said" && last.isWriting) return thread.with(-1, { ...last, text: last.text + text })
  return [...thread, { type: "said", seq, ts, text, isWriting: true }]
}

/** The complete message replaces its parts. */
function withoutWriting(thread: Thread): Thread {
  const last = thread.at(-1)
  return last?.type === "said" && last.isWriting ? thread.slice(0, -1) : thread
}

function callOf(event: EventOfType<"tool_call_started">): ToolCall {
  const { tool_call_id: toolCallId, tool, name = null, path = null, command = null, args = null, diff = null } = event
  return { toolCallId, tool, name, path, command, args, diff, result: null, inner: [] }
}

/** Sub-agents' results only have the call's own ID, so the call may be nested within another. */
function finished(thread: Thread, event: EventOfType<"tool_call_finished">): Thread {
  const { tool_call_id: id, exit_code: exitCode, duration_ms: durationMs, llm_summary: summary, stdout_ref } = event
  const result = { exitCode, durationMs, summary, output: stdout_ref?.path ?? null }
  return withCall(thread, id, (call) => ({ ...call, result }))
}

function withCall(thread: Thread, id: string, change: (call: ToolCall) => ToolCall): Thread {
  const at = thread.findLastIndex(
    (item) =>
      item.type === "tool" && (item.call.toolCallId === id || item.call.inner.some((inner) => isCall(inner, id))),
  )
  const item = thread[at]
  if (item?.type !== "tool") return thread
  const call =
    item.call.toolCallId === id ? change(item.call) : { ...item.call, inner: withCall(item.call.inner, id, change) }
  return thread.with(at, { ...item, call })
}

function isCall(item: ThreadItem, id: string): boolean {
  return item.type === "tool" && item.call.toolCallId === id
}

function answered(thread: Thread, questionId: string, answer: GivenAnswer): Thread {
  const at = thread.findLastIndex((item) => item.type === "question" && item.questionId === questionId)
  const item = thread[at]
  return item?.type === "question" ? thread.with(at, { ...item, answer }) : thread
}

/** Ends a turn, including anything still being written or asked. */
function ended(
  thread: Thread,
  { seq, ts, duration_ms: durationMs }: EventOfType<"run_completed" | "run_failed" | "run_cancelled">,
  status: "completed" | "failed" | "cancelled",
  message: string | null,
): Thread {
  const settled = thread.map((item): ThreadItem => {
    if (item.type === "said" && item.isWriting) return { ...item, isWriting: false }
    return item
  })
  return [...settled, { type: "ended", seq, ts, status, durationMs, message }]
}
