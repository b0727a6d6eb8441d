import { useEffect, useMemo, useState } from "react"
import type { FilesView } from "../../../session/stream/files.ts"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Empty } from "../../../ui/notice.tsx"
import type { DraftChange } from "./tree-dialogs.tsx"
import { TreeHeader } from "./tree-header.tsx"
import { idOf, indexTree, type TreeIndex } from "./tree-index.ts"
import { TreeRows } from "./tree-rows.tsx"
import type { FileActions } from "./use-file-actions.ts"

const loadDialogs = async () => (await import("./tree-dialogs.tsx")).TreeDialogs
const TreeDialogs = lazyPart(loadDialogs)

export interface FileTreeProps {
  files: FilesView
  active: string | null
  writing: readonly string[]
  /** Files with unsaved text. */
  unsaved: ReadonlySet<string>
  busy: boolean
  onOpen(path: string): void
  /** File actions; undefined if nothing can be changed. */
  actions?: FileActions
  /** Retries the stream; undefined while it is connected. */
  onRefresh?(): void
}

export function FileTree({ files, active, writing, unsaved, busy, onOpen, actions, onRefresh }: FileTreeProps) {
  const index = useMemo(() => indexTree(files.manifest, writing), [files.manifest, writing])
  const [draft, setDraft] = useState<DraftChange | null>(null)
  // Preloads the dialogs, because what the user types right after the shortcut must go into the dialog.
  useEffect(() => void loadDialogs().catch(() => undefined), [])
  const openOnceThere = useAwaited(index, onOpen)
  const ask = actions && setDraft
  return (
    <div id="agent-file-tree" className="flex h-full min-h-0 min-w-0 flex-col bg-paper">
      <TreeHeader
        count={files.manifest.files.length}
        incomplete={files.incomplete}
        onRefresh={onRefresh}
        onDraft={ask}
      />
      {index.size > 1 ? (
        <TreeRows
          index={index}
          touched={files.touched}
          active={active}
          writing={writing}
          unsaved={unsaved}
          onOpen={onOpen}
          onDraft={ask}
        />
      ) : (
        <Empty title="No files yet">
          {busy ? "Files appear here as they're written." : "Start a run to create files, or upload some."}
        </Empty>
      )}
      {draft && actions && (
        <TreeDialogs
          draft={draft}
          index={index}
          active={active}
          actions={actions}
          onOpen={openOnceThere}
          onClose={() => setDraft(null)}
        />
      )}
    </div>
  )
}

/** Opens a file once the stream has reported it, because the response to a request arrives before its event. */
function useAwaited(index: TreeIndex, onOpen: (path: string) => void): (path: string) => void {
  const [awaited, setAwaited] = useState<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onOpen` may be another function each time
  useEffect(() => {
    if (awaited === null || !index.get(idOf(awaited))?.file) return
    setAwaited(null)
    onOpen(awaited)
  }, [awaited, index])
  return setAwaited
}
