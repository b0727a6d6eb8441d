/** The nodes of the workflow, in the order in which they work. Apart from its schemas: a page shows them before it checks anything. */
export const NODE_NAMES = ["planner", "architect", "coder"] as const
