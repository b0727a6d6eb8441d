import { type LogEvent, SessionEvent } from "../../../events.ts"
import { headlineOf } from "../../headlines/headlines.ts"
import { NODE_TITLES } from "../../headlines/workflow-headlines.ts"
import type { RunProgress } from "../../runs/progress.ts"
import { NodeName, type NodeUpdate } from "../schema.ts"
import { type Answers, continueAnswer, endAnswers } from "./answers.ts"
import type { NodeState, StreamEnvelope, StreamEventName } from "./stream-envelope.ts"
import { summarizeUpdate } from "./update-summary.ts"

/** State of a run's stream, created by `beginStream` and advanced by `projectEvent`. */
export interface StreamView {
  runId: string
  workspaceId: string
  frames: number
  tokens: number
  answers: Answers
  activeNode: NodeName | null
  lastNode: NodeName | null
  progress: RunProgress
  states: Record<NodeName, NodeState>
  scores: Record<NodeName, number>
  ended: boolean
}

/** A frame without the view's fields, and its change to the view. */
export interface FrameDraft extends Partial<StreamEnvelope> {
  event: StreamEventName
  message: string
  change?: Partial<StreamView>
}

const NODES = NodeName.options
const PHASES = { planner: "planning", architect: "architecture", coder: "coding" } satisfies Record<NodeName, string>
export const SCORE = { start: 1, token: 0.9, debug: 0.6, end: 0.2, none: 0 }

/** Returns the stream frames for one event of the run, in order. */
export function framesFor(view: StreamView, event: LogEvent): FrameDraft[] {
  const parsed = SessionEvent.safeParse(event)
  if (!parsed.success) return [unreadableFrame(event)]
  const known = parsed.data
  switch (known.type) {
    case "run_created":
      return [runStarted(known)]
    case "run_claimed":
    case "model_retried":
    case "model_replaced":
      return [answersDiscarded(view, known)]
    case "model_usage":
      return [answerEnded(view, known)]
    case "node_started":
      return nodeStarted(view, known)
    case "model_text":
      return tokenFrames(view, known)
    // There are too many of these previews to send them as debug frames, and the commit contains the file anyway.
    case "file_text":
    case "file_edit_text":
    case "model_reasoning":
      return []
    case "node_finished":
      return nodeFinished(view, known)
    case "run_completed":
      return runCompleted(view, known)
    case "run_failed":
      return [runEnded(view, known, { error_type: known.error_type, hint: known.hint, message: known.message })]
    case "run_cancelled":
      return [
        runEnded(view, known, { error_type: "cancelled", hint: null, message: `Run cancelled: ${known.reason}.` }),
      ]
    default:
      return [genericFrame(view, known)]
  }
}

type EventOfType<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>

function runStarted(event: EventOfType<"run_created">): FrameDraft {
  const limit = "recursion_limit" in event.input ? event.input.recursion_limit : null
  return {
    event: "run_started",
    message: `${headlineOf(event).text}.`,
    provider: event.model.split("/")[0],
    model: event.model,
    details: { stream_mode: ["debug", "messages", "updates"], recursion_limit: limit },
  }
}

function nodeStarted(view: StreamView, event: EventOfType<"node_started">): FrameDraft[] {
  const { node, iteration, namespace, step, task_id, triggers } = event
  const common = { node, iteration, namespace, phase: PHASES[node] }
  const debug = { debug_type: "task", step, task_id, triggers }
  return [
    {
      ...common,
      event: "on_node_start",
      state: "active",
      activity_score: SCORE.start,
      message: `${headlineOf(event).text} (iteration ${iteration}).`,
      details: { ...debug, iteration },
      change: {
        activeNode: node,
        lastNode: node,
        states: { ...view.states, [node]: "active" },
        scores: { ...view.scores, [node]: SCORE.start },
      },
    },
    { ...common, ...debugFrame(view, node, "task dispatched"), details: { ...debug, error: null, interrupts: null } },
  ]
}

function debugFrame(view: StreamView, node: NodeName, message: string): FrameDraft {
  return {
    event: "on_debug_event",
    activity_score: SCORE.debug,
    severity: "debug",
    message: `${NODE_TITLES[node]}: ${message}.`,
    change: { scores: { ...view.scores, [node]: SCORE.debug } },
  }
}

function tokenFrames(view: StreamView, event: EventOfType<"model_text">): FrameDraft[] {
  const { node, iteration, namespace } = event
  if (node === undefined) return [genericFrame(view, event)]
  const { answers, id } = continueAnswer(view.answers, event)
  const metadata = { langgraph_node: node, iteration, message_id: id }
  let from = 0
  return event.lengths.map((length, index) => {
    const token = event.text.slice(from, from + length)
    from += length
    const tokenIndex = view.tokens + index + 1
    return {
      event: "on_chat_model_stream",
      node,
      iteration,
      namespace,
      phase: PHASES[node],
      severity: "debug",
      activity_score: SCORE.token,
      message: token,
      token,
      metadata,
      details: { token_index: tokenIndex, token_length: length },
      change: { tokens: tokenIndex, answers, scores: { ...view.scores, [node]: SCORE.token } },
    }
  })
}

function answerEnded(view: StreamView, event: EventOfType<"model_usage">): FrameDraft {
  const frame = genericFrame(view, event)
  return { ...frame, change: { ...frame.change, answers: endAnswers(view.answers, event).answers } }
}

/**
 * Discards interrupted answers: a single one on a retry, or all of them if another executor takes over. Clients drop
 * the tokens of these answers.
 */
function answersDiscarded(
  view: StreamView,
  event: EventOfType<"run_claimed" | "model_retried" | "model_replaced">,
): FrameDraft {
  const frame = genericFrame(view, event)
  const { answers, ids } = endAnswers(view.answers, event.type === "run_claimed" ? "all" : event)
  return {
    ...frame,
    details: { ...frame.details, discarded_message_ids: ids },
    change: { ...frame.change, answers },
  }
}

function nodeFinished(view: StreamView, event: EventOfType<"node_finished">): FrameDraft[] {
  const { node, iteration, namespace, duration_ms, step, task_id } = event
  const update = event.update as NodeUpdate
  const summary = summarizeUpdate(node, update)
  const common = { node, iteration, namespace, duration_ms, phase: PHASES[node] }
  // The coder remains active while other files are in progress.
  const isStillActive = node === "coder" && view.progress.writing.some((path) => path !== update.file_path)
  const activeNode = view.activeNode === node && !isStillActive ? null : view.activeNode
  return [
    {
      ...common,
      ...debugFrame(view, node, "task finished"),
      details: { debug_type: "task_result", step, task_id, triggers: null, error: null, interrupts: null },
    },
    {
      ...common,
      event: "on_node_end",
      state: "completed",
      activity_score: SCORE.end,
      message: `${NODE_TITLES[node]} finished: ${summary.text}.`,
      update,
      details: { ...summary },
      change: {
        activeNode,
        states: { ...view.states, [node]: isStillActive ? "active" : "completed" },
        scores: { ...view.scores, [node]: isStillActive ? SCORE.token : SCORE.end },
      },
    },
  ]
}

/** Ends all active nodes before the run completes. */
function runCompleted(view: StreamView, event: EventOfType<"run_completed">): FrameDraft[] {
  const states = { ...view.states }
  const scores = { ...view.scores }
  const closing = NODES.filter((node) => view.states[node] === "active").map((node): FrameDraft => {
    states[node] = "completed"
    scores[node] = SCORE.end
    return {
      event: "on_node_end",
      node,
      state: "completed",
      activity_score: SCORE.end,
      phase: PHASES[node],
      iteration: view.progress.visits[node],
      message: `${NODE_TITLES[node]} finished.`,
      details: { status: "completed_on_finalize" },
      raw: { source: "stream_finalize" },
      change: { activeNode: null, states: { ...states }, scores: { ...scores } },
    }
  })
  const { warning } = event
  const complete: FrameDraft = {
    event: "run_complete",
    message: `${headlineOf(event).text}.`,
    status: "DONE",
    ...(warning !== undefined && { severity: "warn", hint: warning }),
    details: { run_duration_ms: event.duration_ms, ...(warning !== undefined && { warning }) },
    duration_ms: event.duration_ms,
    change: { activeNode: null, ended: true },
  }
  return [...closing, complete]
}

function runEnded(
  view: StreamView,
  event: EventOfType<"run_failed"> | EventOfType<"run_cancelled">,
  why: { error_type: string; hint: string | null; message: string },
): FrameDraft {
  const node = view.activeNode ?? view.lastNode
  const chain = event.type === "run_failed" ? event.exception_chain : undefined
  return {
    event: "error",
    node,
    state: "error",
    severity: "error",
    ...why,
    details: {
      run_id: view.runId,
      run_duration_ms: event.duration_ms,
      error_type: why.error_type,
      ...(chain && { primary_error: chain[0], exception_chain: chain }),
    },
    duration_ms: event.duration_ms,
    raw: { type: why.error_type, ...(chain && { exception: chain[0] }) },
    change: {
      activeNode: null,
      ended: true,
      states: node ? { ...view.states, [node]: "error" } : view.states,
      scores: node ? { ...view.scores, [node]: SCORE.none } : view.scores,
    },
  }
}

/** Returns the debug frame for an event that has no frames of its own. The event's payload is unchanged. */
function genericFrame(view: StreamView, event: SessionEvent): FrameDraft {
  const { type, run_id, agent_id, turn_id, ...payload } = event
  const node = "node" in event ? (event.node ?? null) : null
  return {
    event: "on_debug_event",
    node,
    iteration: "iteration" in event ? event.iteration : null,
    namespace: "namespace" in event ? event.namespace : null,
    activity_score: node ? SCORE.debug : SCORE.none,
    phase: node ? PHASES[node] : "runtime",
    severity: "debug",
    message: headlineOf(event).text,
    details: { debug_type: type, step: null, task_id: null, triggers: null, error: null, interrupts: null, ...payload },
    change: node ? { scores: { ...view.scores, [node]: SCORE.debug } } : {},
  }
}

function unreadableFrame(event: LogEvent): FrameDraft {
  const isKnown = SessionEvent.options.some((option) => option.shape.type.value === event.type)
  return {
    event: "on_debug_event",
    phase: "runtime",
    severity: "warn",
    message: isKnown ? `Couldn't parse an event of type ${event.type}.` : `Unknown event type ${event.type}.`,
    kind: isKnown ? "parse_error" : "unhandled_mode",
    details: { debug_type: event.type, step: null, task_id: null, triggers: null, error: null, interrupts: null },
    raw: { ...event },
  }
}
