import { type LogEvent, SessionEvent } from "../../events.ts"
import { headlineOf } from "../headlines/headlines.ts"
import { NODE_TITLES } from "../headlines/workflow-headlines.ts"
import type { StreamView } from "./projection.ts"
import { NodeName, type NodeUpdate } from "./schema.ts"
import type { StreamEnvelope, StreamEventName } from "./stream-envelope.ts"
import { summariseUpdate } from "./update-summary.ts"

/** One frame that is to be sent, and what it changes in the view. */
export interface Telling extends Partial<StreamEnvelope> {
  event: StreamEventName
  message: string
  change?: Partial<StreamView>
}

const NODES = NodeName.options
const PHASES = { planner: "planning", architect: "architecture", coder: "coding" } satisfies Record<NodeName, string>
export const SCORE = { start: 1, token: 0.9, debug: 0.6, end: 0.2, none: 0 }

/** The frames of a stream for one event of its run, in order. */
export function tell(view: StreamView, event: LogEvent): Telling[] {
  const known = SessionEvent.safeParse(event)
  if (!known.success) return [malformed(event)]
  const said = known.data
  switch (said.type) {
    case "run_created":
      return [runStarted(said)]
    case "node_started":
      return nodeStarted(view, said)
    case "model_text":
      return tokens(view, said)
    case "node_finished":
      return nodeFinished(view, said)
    case "run_completed":
      return runCompleted(view, said)
    case "run_failed":
      return [runEnded(view, said, { error_type: said.error_type, hint: said.hint, message: said.message })]
    case "run_cancelled":
      return [runEnded(view, said, { error_type: "cancelled", hint: null, message: `Run cancelled: ${said.reason}.` })]
    default:
      return [other(view, said)]
  }
}

type Said<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>

function runStarted(said: Said<"run_created">): Telling {
  const limit = "recursion_limit" in said.input ? said.input.recursion_limit : null
  return {
    event: "run_started",
    message: `${headlineOf(said).text}.`,
    provider: said.model.split("/")[0],
    model: said.model,
    details: { stream_mode: ["debug", "messages", "updates"], recursion_limit: limit },
  }
}

function nodeStarted(view: StreamView, said: Said<"node_started">): Telling[] {
  const { node, iteration, namespace, step, task_id, triggers } = said
  const common = { node, iteration, namespace, phase: PHASES[node] }
  const debug = { debug_type: "task", step, task_id, triggers }
  return [
    {
      ...common,
      event: "on_node_start",
      state: "active",
      activity_score: SCORE.start,
      message: `${headlineOf(said).text} (iteration ${iteration}).`,
      details: { ...debug, iteration },
      change: {
        activeNode: node,
        lastNode: node,
        states: { ...view.states, [node]: "active" },
        scores: { ...view.scores, [node]: SCORE.start },
      },
    },
    {
      ...common,
      event: "on_debug_event",
      activity_score: SCORE.debug,
      severity: "debug",
      message: `${NODE_TITLES[node]}: task dispatched.`,
      details: { ...debug, error: null, interrupts: null },
      change: { scores: { ...view.scores, [node]: SCORE.debug } },
    },
  ]
}

function tokens(view: StreamView, said: Said<"model_text">): Telling[] {
  const { node, iteration, namespace } = said
  if (node === undefined) return [other(view, said)]
  const metadata = { langgraph_node: node, iteration }
  let from = 0
  return said.lengths.map((length, index) => {
    const token = said.text.slice(from, from + length)
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
      change: { tokens: tokenIndex, scores: { ...view.scores, [node]: SCORE.token } },
    }
  })
}

function nodeFinished(view: StreamView, said: Said<"node_finished">): Telling[] {
  const { node, iteration, namespace, duration_ms, step, task_id } = said
  const update = said.update as NodeUpdate
  const summary = summariseUpdate(node, update)
  const common = { node, iteration, namespace, duration_ms, phase: PHASES[node] }
  const activeNode = view.activeNode === node ? null : view.activeNode
  return [
    {
      ...common,
      event: "on_debug_event",
      activity_score: SCORE.debug,
      severity: "debug",
      message: `${NODE_TITLES[node]}: task finished.`,
      details: { debug_type: "task_result", step, task_id, triggers: null, error: null, interrupts: null },
      change: { scores: { ...view.scores, [node]: SCORE.debug } },
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
        states: { ...view.states, [node]: "completed" },
        scores: { ...view.scores, [node]: SCORE.end },
      },
    },
  ]
}

/** Whatever is still active when a run ends well is said to have ended first. */
function runCompleted(view: StreamView, said: Said<"run_completed">): Telling[] {
  const states = { ...view.states }
  const scores = { ...view.scores }
  const closing = NODES.filter((node) => view.states[node] === "active").map((node): Telling => {
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
  const complete: Telling = {
    event: "run_complete",
    message: `${headlineOf(said).text}.`,
    status: "DONE",
    details: { run_duration_ms: said.duration_ms },
    duration_ms: said.duration_ms,
    change: { activeNode: null, ended: true },
  }
  return [...closing, complete]
}

function runEnded(
  view: StreamView,
  said: Said<"run_failed"> | Said<"run_cancelled">,
  why: { error_type: string; hint: string | null; message: string },
): Telling {
  const node = view.activeNode ?? view.lastNode
  const chain = said.type === "run_failed" ? said.exception_chain : undefined
  return {
    event: "error",
    node,
    state: "error",
    severity: "error",
    ...why,
    details: {
      run_id: view.runId,
      run_duration_ms: said.duration_ms,
      error_type: why.error_type,
      ...(chain && { primary_error: chain[0], exception_chain: chain }),
    },
    duration_ms: said.duration_ms,
    raw: { type: why.error_type, ...(chain && { exception: chain[0] }) },
    change: {
      activeNode: null,
      ended: true,
      states: node ? { ...view.states, [node]: "error" } : view.states,
      scores: node ? { ...view.scores, [node]: SCORE.none } : view.scores,
    },
  }
}

/** Everything else that a run says is told as it is, for whoever debugs. */
function other(view: StreamView, said: SessionEvent): Telling {
  const { type, run_id, agent_id, turn_id, ...payload } = said
  const node = "node" in said ? (said.node ?? null) : null
  return {
    event: "on_debug_event",
    node,
    iteration: "iteration" in said ? said.iteration : null,
    namespace: "namespace" in said ? said.namespace : null,
    activity_score: node ? SCORE.debug : SCORE.none,
    phase: node ? PHASES[node] : "runtime",
    severity: "debug",
    message: headlineOf(said).text,
    details: { debug_type: type, step: null, task_id: null, triggers: null, error: null, interrupts: null, ...payload },
    change: node ? { scores: { ...view.scores, [node]: SCORE.debug } } : {},
  }
}

function malformed(event: LogEvent): Telling {
  const isKnown = SessionEvent.options.some((option) => option.shape.type.value === event.type)
  return {
    event: "on_debug_event",
    phase: "runtime",
    severity: "warn",
    message: isKnown ? `A ${event.type} event could not be read.` : `There is no telling what ${event.type} means.`,
    kind: isKnown ? "parse_error" : "unhandled_mode",
    details: { debug_type: event.type, step: null, task_id: null, triggers: null, error: null, interrupts: null },
    raw: { ...event },
  }
}
