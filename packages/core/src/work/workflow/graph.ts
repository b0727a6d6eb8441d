import { END, START, StateGraph } from "@langchain/langgraph"
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint"
import { createArchitect } from "./architect.ts"
import { createCoder } from "./coder.ts"
import type { NodeDeps } from "./node-deps.ts"
import { createPlanner } from "./planner.ts"
import { WorkflowState } from "./state.ts"

/** planner → architect → coder, which visits itself until everything is written. */
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
