import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import { clsx } from "clsx"
import type { ReactNode } from "react"
import type { NodeState } from "../../../session/stream/graph.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import type { PaneName } from "./use-panes.ts"

const names: Record<PaneName, ReactNode> = {
  conversation: "Conversation",
  app: "App",
  code: "Code",
  log: "Log",
  graph: (
    <>
      Graph <NodeDots />
    </>
  ),
}

interface Props<T extends PaneName> {
  tabs: readonly T[]
  shown: NoInfer<T>
  onShow(pane: NoInfer<T>): void
}

/** The tabs of the run's panes. */
export function PaneTabs<T extends PaneName>({ tabs, shown, onShow }: Props<T>) {
  return (
    <nav aria-label="Panes" className="flex h-10 border-b border-line px-1 max-md:h-11 max-md:px-0">
      {tabs.map((pane) => (
        <button
          key={pane}
          type="button"
          aria-current={pane === shown ? "true" : undefined}
          onClick={() => onShow(pane)}
          className="flex items-center gap-1.5 border-b-2 border-transparent px-3 text-sm -outline-offset-2 text-ink-2 hover:text-ink aria-[current]:border-accent aria-[current]:font-semibold aria-[current]:text-ink max-md:flex-auto max-md:justify-center max-md:px-1"
        >
          {names[pane]}
        </button>
      ))}
    </nav>
  )
}

const dots = {
  idle: "border border-strong",
  active: "bg-accent",
  completed: "bg-ok",
  error: "bg-err",
} satisfies Record<NodeState, string>

/** The state of each node, as a dot. */
function NodeDots() {
  const nodes = useSessionData(({ shown }) => shown.graph.nodes)
  return (
    <span aria-hidden data-nodes className="flex gap-0.5">
      {NODE_NAMES.map((node) => (
        <span
          key={node}
          data-node={node}
          data-state={nodes[node].state}
          className={clsx("size-1.5 rounded-full", dots[nodes[node].state])}
        />
      ))}
    </span>
  )
}
