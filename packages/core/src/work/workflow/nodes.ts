/** Nodes of the workflow, in order. Separate from the schemas, because a web page needs only these names. */
export const NODE_NAMES = ["planner", "architect", "coder"] as const
