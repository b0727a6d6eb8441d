import { useMemo } from "react"
import { writingFiles } from "../../session/stream/graph.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useReadOnly, useSessionData } from "../../session/view/use-session.ts"
import { useUnsaved } from "./buffer/use-unsaved.ts"
import { FileTree } from "./tree/file-tree.tsx"
import { useFileActions } from "./tree/use-file-actions.ts"

/** The stream retries when the network comes back, so this makes it retry now. */
const askAgain = () => window.dispatchEvent(new Event("online"))

interface Props {
  active: string | null
  onOpen(path: string): void
}

export function Tree({ active, onOpen }: Props) {
  const files = useSessionData(({ shown }) => shown.files)
  const graph = useSessionData(({ shown }) => shown.graph)
  const live = useSessionData(({ shownText }) => [...shownText.files.keys()].join("\n"))
  const writing = useMemo(
    () => [...new Set([...writingFiles(graph), ...live.split("\n").filter(Boolean)])],
    [graph, live],
  )
  const busy = useSessionData(({ shown }) => isRunning(shown.run))
  const readOnly = useReadOnly()
  const lost = useSessionData(({ connection }) => connection.state === "reconnecting")
  const unsaved = useUnsaved()
  const actions = useFileActions()
  return (
    <section aria-label="Files" data-region="files" tabIndex={-1} className="h-full min-h-0 min-w-0">
      <FileTree
        files={files}
        active={active}
        writing={writing}
        unsaved={unsaved}
        busy={busy}
        onOpen={onOpen}
        onRefresh={lost ? askAgain : undefined}
        actions={readOnly === null ? actions : undefined}
      />
    </section>
  )
}
