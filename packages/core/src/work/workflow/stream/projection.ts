import type { LogEvent } from "../../../events.ts"
import { advanceProgress, noProgress } from "../../runs/progress.ts"
import { noAnswers } from "./answers.ts"
import type { StreamEnvelope, StreamFrame } from "./stream-envelope.ts"
import { framesFor, SCORE, type StreamView } from "./stream-frames.ts"

export function beginStream(runId: string, workspaceId: string): StreamView {
  return {
    runId,
    workspaceId,
    frames: 0,
    tokens: 0,
    answers: noAnswers,
    activeNode: null,
    lastNode: null,
    progress: noProgress,
    states: { planner: "idle", architect: "idle", coder: "idle" },
    scores: { planner: 0, architect: 0, coder: 0 },
    ended: false,
  }
}

/**
 * Returns the frames for an event of the run, and the view after the event. A pure function, so that a stream can be
 * replayed from any position.
 */
export function projectEvent(view: StreamView, event: LogEvent): { view: StreamView; frames: StreamFrame[] } {
  const frames: StreamFrame[] = []
  let next: StreamView = { ...view, progress: advanceProgress(view.progress, event) }
  for (const { event: name, change, ...fields } of framesFor(view, event)) {
    next = { ...next, ...change, frames: next.frames + 1 }
    frames.push({ id: `${event.seq}.${frames.length + 1}`, event: name, data: envelope(next, event.ts, fields) })
  }
  return { view: next, frames }
}

/** Returns true if the frame comes after a reconnecting client's cursor. */
export function isAfter(id: string, cursor: string | undefined): boolean {
  if (cursor === undefined) return true
  const [seq = 0, n = 0] = id.split(".").map(Number)
  const [cursorSeq = 0, cursorN = 0] = cursor.split(".").map(Number)
  return seq > cursorSeq || (seq === cursorSeq && n > cursorN)
}

function envelope(view: StreamView, timestamp: string, fields: Partial<StreamEnvelope>): StreamEnvelope {
  return {
    run_id: view.runId,
    workspace_id: view.workspaceId,
    event_id: view.frames,
    timestamp,
    node: null,
    state: null,
    activity_score: SCORE.none,
    phase: "system",
    severity: "info",
    message: "",
    details: null,
    hint: null,
    error_type: null,
    iteration: null,
    duration_ms: null,
    namespace: null,
    raw: null,
    active_node_id: view.activeNode,
    node_states: view.states,
    activity_by_node_id: view.scores,
    ...fields,
  }
}
