import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { useCommand } from "../../../session/context/commands.ts"
import { type RunPane, runPanes } from "../../../session/context/routes.ts"
import { useAddressQuery } from "../../../session/context/use-address-query.ts"

/** A part of the run screen. On wide screens, the conversation is always shown. */
export type PaneName = RunPane | "conversation"

/** The run screen's state that its address contains, so that it can be shared and going back restores it. */
export interface Panes {
  /** The pane in the address; null if it names none. */
  shown: PaneName | null
  show(pane: PaneName): void
  /** The chosen file; "" if it was closed, null if none was chosen. */
  file: string | null
  /** Opens a file in the code pane. */
  openFile(path: string): void
  /** Keeps a file open, whatever is written next; null closes it. Adds no entry to the history. */
  keepFile(path: string | null): void
  /** The node whose prompt is shown below the graph. */
  prompted: NodeName | null
  setPrompted(node: NodeName | null): void
}

export function usePanes(): Panes {
  const [query, change] = useAddressQuery()
  const shown = (["conversation", ...runPanes] as const).find((pane) => pane === query.get("show")) ?? null
  const prompted = NODE_NAMES.find((name) => name === query.get("prompt")) ?? null
  return {
    shown,
    show: (pane) => change({ show: pane }),
    file: query.get("file"),
    openFile: (path) => change({ show: "code", file: path }),
    keepFile: (path) => change({ file: path ?? "" }, { replace: true }),
    prompted,
    setPrompted: (node) => change({ show: "graph", prompt: node }),
  }
}

/** Registers the commands that show a pane. */
export function usePaneCommands({ show }: Panes): void {
  useCommand("preview", "Show app", () => show("app"))
  useCommand("log", "Show log", () => show("log"))
}
