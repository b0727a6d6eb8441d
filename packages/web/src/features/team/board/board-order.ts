import type { BoardNode } from "./board-node.ts"

type Ordered = Pick<BoardNode, "id" | "status">
export type CardHalf = "upper" | "lower"

/** Whether a node hasn't begun: it can be moved on the board. */
export function isWaiting({ status }: Pick<BoardNode, "status">): boolean {
  return status === "pending" || status === "assigned"
}

/** The nodes that haven't begun, the one that begins first at the beginning. */
export function waitingNodes<N extends Ordered>(nodes: readonly N[]): N[] {
  return nodes.filter(isWaiting)
}

/** The node before which this one comes when it changes places with its neighbour, null for the end; undefined where it has none. */
export function neighbourOf(nodes: readonly Ordered[], id: string, by: -1 | 1): string | null | undefined {
  const waiting = waitingNodes(nodes)
  const at = waiting.findIndex((node) => node.id === id)
  const neighbour = at === -1 ? undefined : waiting[at + by]
  if (!neighbour) return undefined
  return by === -1 ? neighbour.id : after(nodes, id, neighbour.id)
}

/** The node before which one comes that is dropped on the upper or the lower half of another; null for the end. */
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
