/** The workflow's nodes, in order. They are separate from the schemas, because a web page needs only the nodes. */
export const NODE_NAMES = ["planner", "architect", "coder"] as const
