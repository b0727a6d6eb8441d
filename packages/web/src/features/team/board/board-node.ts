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
