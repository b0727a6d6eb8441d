/**
 * The workflow's nodes, in order. Separate from the schemas, so that a web page can show the nodes without loading
 * them.
 */
export const NODE_NAMES = ["planner", "architect", "coder"] as const
