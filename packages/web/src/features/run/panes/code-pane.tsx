import { useState } from "react"
import { useSessionData } from "../../../session/view/use-session.ts"
import { Split } from "../../../ui/split.tsx"
import { useWideScreen } from "../../../ui/use-media.ts"
import { Editor } from "../../files/editor-pane.tsx"
import { Tree } from "../../files/tree-pane.tsx"
import type { Panes } from "./use-panes.ts"

/** The files and the open one: side by side, or one at a time on phones. */
export function CodePane({ panes: { file, openFile, keepFile } }: { panes: Panes }) {
  const wide = useWideScreen()
  const active = useActiveFile(file)
  if (!wide) {
    if (!file) return <Tree active={null} onOpen={openFile} />
    return <Editor path={file} onClose={() => keepFile(null)} />
  }
  return (
    <Split
      direction="row"
      label="File list width"
      initial={27}
      least={[184, 200]}
      first={<Tree active={active} onOpen={openFile} />}
      second={
        // The file in use stays open, whatever is written next.
        <Editor path={active} onClose={() => keepFile(null)} onUse={() => active !== null && keepFile(active)} />
      }
    />
  )
}

/**
 * Returns the open file: the chosen one, else one being written, else the first in the tree. A choice survives moments
 * at which its file doesn't exist.
 */
function useActiveFile(chosen: string | null): string | null {
  const files = useSessionData(({ shown }) => shown.files.manifest.files)
  const writing = useSessionData(({ shown }) => shown.graph.writing)
  const [first, setFirst] = useState<string | null>(null)
  const isWritten = (path: string | null) => path !== null && writing.includes(path)
  const isThere = (path: string | null) => isWritten(path) || files.some((file) => file.path === path)
  // The open file stays open even if a file that sorts before it arrives. Only the next file being written replaces it.
  const kept = isThere(first) ? first : (files[0]?.path ?? null)
  const shown = isWritten(first) ? first : (writing[0] ?? kept)
  if (shown !== first) setFirst(shown)
  if (chosen === "") return null
  return chosen !== null && isThere(chosen) ? chosen : shown
}
