import type { Board } from "@switchyard/core/work/teams/request-schema"

export type BoardNode = Board["nodes"][number]

export const nodeWords = {
  pending: "Waiting",
  assigned: "Next",
  running: "Working",
  completed: "Done",
  failed: "Failed",
} satisfies Record<BoardNode["status"], string>

/** Data type of a node dragged from a board: its ID. */
export const NODE_DRAG = "application/x-switchyard-node"
