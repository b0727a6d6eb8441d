/** Nodes of the workflow, in order. Separate from the schemas, so that a page can show them without loading those. */
export const NODE_NAMES = ["planner", "architect", "coder"] as const
