import type { NodeName } from "./schema.ts"

const roles = {
  planner: { label: "Planner", role: "planning", x: 120 },
  architect: { label: "Architect", role: "architecture", x: 420 },
  coder: { label: "Coder", role: "coding", x: 720 },
} satisfies Record<NodeName, { label: string; role: string; x: number }>

/** Returns the workflow as a graph for display: its nodes, edges and possible states. */
export function graphSchema() {
  return {
    graph_id: "agent_mind_v1",
    nodes: Object.entries(roles).map(([id, { label, role, x }]) => ({
      id,
      label,
      type: "default",
      position: { x, y: 160 },
      data: { role },
    })),
    edges: [edge("planner", "architect", false), edge("architect", "coder", false), edge("coder", "coder", true)],
    state_model: ["idle", "active", "completed", "error"],
    activity_model: { min: 0, max: 1 },
  }
}

function edge(source: NodeName, target: NodeName, animated: boolean) {
  return { id: `${source}-${target}`, source, target, type: "smoothstep", animated }
}
