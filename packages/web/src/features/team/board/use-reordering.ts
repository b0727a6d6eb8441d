import { type DragEvent, type KeyboardEvent, useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { errorText } from "../../../ui/error-text.ts"
import { useBoardChanges } from "../data/use-board-changes.ts"
import { type BoardNode, NODE_DRAG } from "./board-node.ts"
import { type CardHalf, droppedOn, isWaiting, neighbourOf } from "./board-order.ts"

/** Changes the order of nodes that haven't started, by dragging one onto another, or with Alt and an arrow key. */
export function useReordering(teamId: string, nodes: readonly BoardNode[]) {
  const toast = useToast()
  const change = useBoardChanges(teamId)
  /** Position at which the dragged node would be dropped now. */
  const [over, setOver] = useState<{ id: string; half: CardHalf } | null>(null)
  const [told, setTold] = useState("")

  function move(node: string, before: string | null): void {
    change.mutate(
      { do: "move", node, before },
      {
        onSuccess: () => setTold(`${node} moved ${before === null ? "to the end" : `before ${before}`}.`),
        onError: (error) => toast(errorText(error), "err"),
      },
    )
  }

  /** Returns the event handlers of a node that hasn't started. */
  const handlersOf = (id: string) => ({
    draggable: true,
    onDragStart: ({ dataTransfer }: DragEvent) => dataTransfer.setData(NODE_DRAG, id),
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(NODE_DRAG)) return
      event.preventDefault()
      const half = halfOf(event)
      setOver((before) => (before?.id === id && before.half === half ? before : { id, half }))
    },
    onDragLeave: () => setOver(null),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(null)
      const dragged = event.dataTransfer.getData(NODE_DRAG)
      if (dragged !== id) move(dragged, droppedOn(nodes, { dragged, target: id, half: halfOf(event) }))
    },
    onKeyDown: (event: KeyboardEvent) => {
      const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : undefined
      if (by === undefined || !event.altKey) return
      event.preventDefault()
      const before = neighbourOf(nodes, id, by)
      if (before !== undefined) move(id, before)
    },
  })

  return {
    handlersOf: (node: BoardNode) => (isWaiting(node) ? handlersOf(node.id) : {}),
    edgeOf: (id: string) => (over?.id === id ? over.half : undefined),
    told,
  }
}

function halfOf({ clientY, currentTarget }: DragEvent): CardHalf {
  const { top, height } = currentTarget.getBoundingClientRect()
  return clientY < top + height / 2 ? "upper" : "lower"
}
