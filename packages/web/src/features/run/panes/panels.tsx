import { type ReactNode, useDeferredValue, useState } from "react"
import { type RunPane, runPanes } from "../../../session/context/routes.ts"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Skeleton } from "../../../ui/notice.tsx"
import { useDelay } from "../../../ui/use-delay.ts"
import { useWideScreen } from "../../../ui/use-media.ts"
import type { Panes } from "./use-panes.ts"

const waiting = <Skeleton lines={6} className="p-4" />
const AppPane = lazyPart(async () => (await import("./app-pane.tsx")).AppPane, waiting)
const CodePane = lazyPart(async () => (await import("./code-pane.tsx")).CodePane, waiting)
const Log = lazyPart(async () => (await import("../log/log.tsx")).Log, waiting)
const GraphPane = lazyPart(async () => (await import("./graph-pane.tsx")).GraphPane, waiting)

/** Everything that was shown once stays mounted below the shown pane, so that it keeps its scroll position. */
export function Panels({ shown, panes }: { shown: RunPane | null; panes: Panes }) {
  const mounted = useMounted(shown)
  const panels: Record<RunPane, ReactNode> = {
    app: <AppPane onOpen={panes.openFile} onCode={() => panes.show("code")} />,
    code: <CodePane panes={panes} />,
    log: <Log />,
    graph: <GraphPane prompted={panes.prompted} onPrompt={panes.setPrompted} />,
  }
  return runPanes
    .filter((pane) => mounted.has(pane))
    .map((pane) => (
      <div key={pane} inert={pane !== shown} className="absolute inset-0 min-h-0 min-w-0 inert:invisible">
        {panels[pane]}
      </div>
    ))
}

const ALL: ReadonlySet<RunPane> = new Set(runPanes)
const NONE: ReadonlySet<RunPane> = new Set()

/** For this long, only the shown pane is loaded. */
const AHEAD_AFTER_MS = 2000

/** Returns the panes that were shown. If there is room for panes, the others are mounted ahead, too. */
function useMounted(shown: RunPane | null): ReadonlySet<RunPane> {
  const isAhead = useDelay(AHEAD_AFTER_MS)
  const isWide = useWideScreen()
  const [visited, setVisited] = useState(NONE)
  if (shown !== null && !visited.has(shown)) setVisited(new Set([...visited, shown]))
  // The conversation is painted first. The panes render in a transition, which typing can interrupt.
  return useDeferredValue(isAhead && isWide ? ALL : visited, NONE)
}
