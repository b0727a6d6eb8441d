import type { NodeName } from "../schema.ts"

/**
 * A `/stream` frame, as defined in the HTTP contract. Every frame contains every field. Fields that don't apply are
 * null.
 */
export interface StreamEnvelope {
  run_id: string
  workspace_id: string
  event_id: number
  timestamp: string
  node: string | null
  state: NodeState | null
  activity_score: number
  phase: string
  severity: "debug" | "info" | "warn" | "error"
  message: string
  details: Record<string, unknown> | null
  hint: string | null
  error_type: string | null
  iteration: number | null
  duration_ms: number | null
  namespace: string[] | null
  raw: Record<string, unknown> | null
  active_node_id: string | null
  node_states: Record<NodeName, NodeState>
  activity_by_node_id: Record<NodeName, number>
  [extra: string]: unknown
}

export type NodeState = "idle" | "active" | "completed" | "error"

export type StreamEventName =
  | "run_started"
  | "on_node_start"
  | "on_chat_model_stream"
  | "on_node_end"
  | "on_debug_event"
  | "run_complete"
  | "error"

export interface StreamFrame {
  /** ID of the form `seq.n`. One log event may produce several frames. */
  id: string
  event: StreamEventName
  data: StreamEnvelope
}
