import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { useSearchParams } from "wouter"

/** The node whose prompt is open beside the graph. It is in the address, so going back closes it. */
export function usePrompted(): [prompted: NodeName | null, setPrompted: (node: NodeName | null) => void] {
  const [search, setSearch] = useSearchParams()
  const prompted = NODE_NAMES.find((name) => name === search.get("prompt")) ?? null
  const setPrompted = (node: NodeName | null) => {
    if (node === prompted) return
    setSearch((before) => {
      if (node === null) before.delete("prompt")
      else before.set("prompt", node)
      return before
    })
  }
  return [prompted, setPrompted]
}
