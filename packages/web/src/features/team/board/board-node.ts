import type { Board } from "@switchyard/core/work/teams/request-schema"

export type BoardNode = Board["nodes"][number]

export const nodeWords = {
  pending: "Waiting",
  assigned: "Next",
  running: "Working",
  completed: "Completed",
  failed: "Failed",
} satisfies Record<BoardNode["status"], string>

/** The type of what is dragged from a board: a node's id. */
export const NODE_DRAG = "application/x-switchyard-node"

/** Whether a node can be given to a worker: it waits, and for no other. */
export function isReady({ status, dependencies }: BoardNode, nodes: readonly BoardNode[]): boolean {
  const isCompleted = (id: string) => nodes.some((one) => one.id === id && one.status === "completed")
  return status === "pending" && dependencies.every(isCompleted)
}
