import { END, START, StateGraph } from "@langchain/langgraph"
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint"
import { createCoder } from "./coder/coder.ts"
import { createArchitect } from "./nodes/architect.ts"
import type { NodeDeps } from "./nodes/node-deps.ts"
import { createPlanner } from "./nodes/planner.ts"
import { WorkflowState } from "./nodes/state.ts"

/** Builds the graph: planner → architect → coder. The coder repeats until the run's status is DONE. */
export function createGraph(deps: NodeDeps, checkpointer: BaseCheckpointSaver) {
  return new StateGraph(WorkflowState)
    .addNode("planner", createPlanner(deps))
    .addNode("architect", createArchitect(deps))
    .addNode("coder", createCoder(deps))
    .addEdge(START, "planner")
    .addEdge("planner", "architect")
    .addEdge("architect", "coder")
    .addConditionalEdges("coder", ({ status }) => (status === "DONE" ? END : "coder"), ["coder", END])
    .compile({ checkpointer })
}
