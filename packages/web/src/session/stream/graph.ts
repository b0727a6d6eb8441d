import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { type NodeUpdate, type StudioEvent, whole } from "./event.ts"

export type NodeState = "idle" | "active" | "completed" | "error"

export interface NodeView {
  state: NodeState
  /** Visits that were begun. */
  iteration: number
  durationMs: number
  /** When the current visit began. */
  startedAt: string | null
}

/** The three nodes of the newest run, and how far its coder is. */
export interface GraphView {
  nodes: Record<NodeName, NodeView>
  plannedFiles: number | null
  /** One a step, in their order; empty before the architect is done. */
  steps: string[]
  stepsFinished: number
  stepsTotal: number | null
}

const idle: NodeView = { state: "idle", iteration: 0, durationMs: 0, startedAt: null }

export const idleGraph: GraphView = {
  nodes: { planner: idle, architect: idle, coder: idle },
  plannedFiles: null,
  steps: [],
  stepsFinished: 0,
  stepsTotal: null,
}

/** The graph after one more event. The same object if the event says nothing about it. */
export function reduceGraph(graph: GraphView, event: StudioEvent): GraphView {
  switch (event.type) {
    case "run_created":
      return idleGraph
    case "node_started":
      return { ...graph, nodes: started(graph.nodes, event.node, event.iteration, event.ts) }
    case "node_finished":
      return finished(graph, event.node, event.duration_ms, whole(event.update) ?? {})
    case "run_completed":
      return settled(graph, "completed")
    case "run_failed":
      return settled(graph, "error")
    case "run_cancelled":
      return settled(graph, "idle")
    default:
      return graph
  }
}

/** The node that is at work, if one is: derived, never told. */
export function activeNode(graph: GraphView): NodeName | undefined {
  return NODE_NAMES.find((node) => graph.nodes[node].state === "active")
}

/** The file that the coder is at, counted from 1; null while it isn't at one. */
export function currentFile(graph: GraphView): { number: number; total: number; path: string | undefined } | null {
  const total = graph.stepsTotal ?? graph.steps.length
  if (graph.nodes.coder.state !== "active" || graph.stepsFinished >= total) return null
  return { number: graph.stepsFinished + 1, total, path: graph.steps[graph.stepsFinished] }
}

/** Whoever starts ends those before it, even if their own end was never told. */
function started(nodes: GraphView["nodes"], node: NodeName, iteration: number, at: string): GraphView["nodes"] {
  const after = { ...nodes }
  for (const earlier of NODE_NAMES.slice(0, NODE_NAMES.indexOf(node))) {
    if (after[earlier].state !== "error") after[earlier] = { ...after[earlier], state: "completed" }
  }
  after[node] = { ...after[node], state: "active", iteration, startedAt: at }
  return after
}

function finished(graph: GraphView, node: NodeName, durationMs: number, update: NodeUpdate): GraphView {
  const before = graph.nodes[node]
  const steps = update.task_plan?.implementation_steps.map((step) => step.file_path)
  return {
    nodes: {
      ...graph.nodes,
      // The coder comes back for each file: between two visits it is still the one at work.
      [node]: {
        ...before,
        state: node === "coder" && update.status !== "DONE" ? "active" : "completed",
        durationMs: before.durationMs + durationMs,
      },
    },
    plannedFiles: update.planned_files ?? update.plan?.files.length ?? graph.plannedFiles,
    steps: steps ?? graph.steps,
    stepsFinished: update.current_step_idx ?? graph.stepsFinished,
    stepsTotal: update.total_steps ?? steps?.length ?? graph.stepsTotal,
  }
}

function settled(graph: GraphView, state: NodeState): GraphView {
  const node = activeNode(graph)
  return node ? { ...graph, nodes: { ...graph.nodes, [node]: { ...graph.nodes[node], state } } } : graph
}
