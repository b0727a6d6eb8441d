import {
  advanceProgress,
  type CurrentStep,
  currentStep,
  noProgress,
  type RunProgress,
  updateOf,
} from "@switchyard/core/work/runs/progress"
import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import type { StudioEvent } from "./event.ts"

export type NodeState = "idle" | "active" | "completed" | "error"

export interface NodeView {
  state: NodeState
  durationMs: number
  /** Start of the current visit. */
  startedAt: string | null
}

/** The latest run's three nodes and its progress. */
export interface GraphView extends RunProgress {
  nodes: Record<NodeName, NodeView>
}

const idle: NodeView = { state: "idle", durationMs: 0, startedAt: null }

export const idleGraph: GraphView = { nodes: { planner: idle, architect: idle, coder: idle }, ...noProgress }

/** Returns the graph after one more event; the same object if the event doesn't affect it. */
export function reduceGraph(before: GraphView, event: StudioEvent): GraphView {
  const progress = advanceProgress(before, event)
  const graph = progress === before ? before : { ...before, ...progress }
  switch (event.type) {
    case "run_created":
      return isResuming(event.input) ? { ...idleGraph, ...planOf(before) } : idleGraph
    case "node_started":
      return { ...graph, nodes: started(graph.nodes, event.node, event.ts) }
    case "node_finished":
      return finished(graph, event.node, event.duration_ms, updateOf(event).status === "DONE")
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

/** Returns true if the run continues the previous run's plan. */
function isResuming(input: object): boolean {
  return "resumes" in input && Array.isArray(input.resumes) && input.resumes.length > 0
}

function planOf({ plannedFiles, steps, stepsFinished, stepsTotal, finished }: GraphView): Partial<GraphView> {
  return { plannedFiles, steps, stepsFinished, stepsTotal, finished }
}

/** Returns the node that is working, if any. Derived, because no event names it. */
export function activeNode(graph: GraphView): NodeName | undefined {
  return NODE_NAMES.find((node) => graph.nodes[node].state === "active")
}

/** Returns the file that the coder is writing, if any. */
export function currentFile(graph: GraphView): CurrentStep | null {
  return graph.nodes.coder.state === "active" ? currentStep(graph) : null
}

/** Returns the files that the coder is writing, or the next one. */
export function writingFiles(graph: GraphView): readonly string[] {
  const next = currentFile(graph)?.path
  return graph.writing.length > 0 || next === undefined ? graph.writing : [next]
}

/** Starting a node completes those before it, even if the log doesn't contain their end. */
function started(nodes: GraphView["nodes"], node: NodeName, at: string): GraphView["nodes"] {
  const after = { ...nodes }
  for (const earlier of NODE_NAMES.slice(0, NODE_NAMES.indexOf(node))) {
    if (after[earlier].state !== "error") after[earlier] = { ...after[earlier], state: "completed" }
  }
  after[node] = { ...after[node], state: "active", startedAt: at }
  return after
}

function finished(graph: GraphView, node: NodeName, durationMs: number, done: boolean): GraphView {
  const before = graph.nodes[node]
  // If files are written in parallel, the last one's time counts as the time for all.
  const took = graph.writing.length > 0 ? 0 : durationMs
  return {
    ...graph,
    nodes: {
      ...graph.nodes,
      // The coder is visited once per file, and stays active between visits.
      [node]: {
        ...before,
        state: node === "coder" && !done ? "active" : "completed",
        durationMs: before.durationMs + took,
      },
    },
  }
}

function settled(graph: GraphView, state: NodeState): GraphView {
  const node = activeNode(graph)
  return node ? { ...graph, nodes: { ...graph.nodes, [node]: { ...graph.nodes[node], state } } } : graph
}

/** Returns the state of the edge between two nodes: done, flowing while the second node works, or waiting. */
export function edgeState(from: NodeState, to: NodeState): "done" | "flowing" | "waiting" {
  if (from !== "completed" || (to !== "completed" && to !== "active")) return "waiting"
  return to === "active" ? "flowing" : "done"
}
