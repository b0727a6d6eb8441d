import type { BoardNode } from "./board-node.ts"

type Ordered = Pick<BoardNode, "id" | "status">
export type CardHalf = "upper" | "lower"

/** Returns true if a node hasn't started, so it can be moved on the board. */
export function isWaiting({ status }: Pick<BoardNode, "status">): boolean {
  return status === "pending" || status === "assigned"
}

/** Returns the nodes that haven't started, in the order in which they will. */
export function waitingNodes<N extends Ordered>(nodes: readonly N[]): N[] {
  return nodes.filter(isWaiting)
}

/**
 * Returns the node before which this one is placed to swap it with its neighbour; null for the end, undefined if it has
 * no neighbour on that side.
 */
export function neighbourOf(nodes: readonly Ordered[], id: string, by: -1 | 1): string | null | undefined {
  const waiting = waitingNodes(nodes)
  const at = waiting.findIndex((node) => node.id === id)
  const neighbour = at === -1 ? undefined : waiting[at + by]
  if (!neighbour) return undefined
  return by === -1 ? neighbour.id : after(nodes, id, neighbour.id)
}

/** Returns the node before which another is placed when dropped on a node's upper or lower half; null for the end. */
export function droppedOn(
  nodes: readonly Ordered[],
  { dragged, target, half }: { dragged: string; target: string; half: CardHalf },
): string | null {
  return half === "upper" ? target : after(nodes, dragged, target)
}

function after(nodes: readonly Ordered[], id: string, target: string): string | null {
  const others = nodes.filter((node) => node.id !== id)
  return others[others.findIndex((node) => node.id === target) + 1]?.id ?? null
}
