/**
 * The workflow's nodes, in order. Separate from the schemas, so that a web page can show them without loading those.
 */
export const NODE_NAMES = ["planner", "architect", "coder"] as const
