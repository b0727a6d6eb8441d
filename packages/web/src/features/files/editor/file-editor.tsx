import type { ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { lazy, Suspense } from "react"
import { useBrowser } from "../../../session/context/studio.ts"
import { Empty, Skeleton } from "../../../ui/notice.tsx"
import { retryImport } from "../../../ui/retry-import.ts"
import { useDelay } from "../../../ui/use-delay.ts"
import { type OpenFile, useBuffer } from "../buffer/use-buffer.ts"
import { isShown } from "../buffer/use-file-text.ts"
import { useSaving } from "../buffer/use-saving.ts"
import { BinaryFile } from "./binary-file.tsx"
import { Conflict, Removed, SaveFailed, Unreadable } from "./editor-notices.tsx"
import { EditorTab } from "./editor-tab.tsx"

const CodeEditor = lazy(retryImport(async () => ({ default: (await import("./code-editor.tsx")).CodeEditor })))

export interface FileEditorProps {
  sessionId: string
  path: string
  /** The file at the moment that is shown; undefined if it doesn't exist then. */
  file: ManifestFile | undefined
  /** The reason why nothing can be changed now; null when it can. */
  readOnly: string | null
  onClose(): void
}

/** One file, to view and edit. Unsaved text survives navigation and reloads. */
export function FileEditor(props: FileEditorProps) {
  return <Editor key={`${props.sessionId}:${props.path}`} {...props} />
}

function Editor({ sessionId, path, file, readOnly, onClose }: FileEditorProps) {
  const open = useBuffer(sessionId, path, file, readOnly !== null)
  const saving = useSaving(open, readOnly)
  const unsavedHere = open.dirty && readOnly === null
  return (
    <div id="agent-editor" className="flex h-full min-h-0 min-w-0 flex-col bg-sheet">
      <EditorTab
        path={path}
        text={open.text}
        dirty={open.dirty}
        stored={open.stored}
        saving={saving}
        onClose={onClose}
      />
      {open.buffer && readOnly === null && <Notices path={path} open={open} />}
      <div className="min-h-0 flex-1">
        {file || unsavedHere ? (
          <Content sessionId={sessionId} path={path} file={file} readOnly={readOnly} open={open} />
        ) : (
          <Empty title="File not found">It was deleted or isn't written yet. It will appear here when it is.</Empty>
        )}
      </div>
    </div>
  )
}

function Notices({ path, open }: { path: string; open: OpenFile }) {
  const { buffer, dispatch, save } = open
  if (!buffer) return null
  return (
    <>
      {buffer.failure !== null && <SaveFailed reason={buffer.failure} onRetry={save} />}
      {buffer.theirs !== null && (
        <Conflict
          path={path}
          mine={buffer.text}
          theirs={buffer.theirs}
          onMine={() => dispatch({ type: "kept_mine" })}
          onTheirs={() => dispatch({ type: "took_theirs" })}
        />
      )}
      {buffer.server === null && open.dirty && (
        <Removed onSave={save} onDrop={() => dispatch({ type: "edited", text: "" })} />
      )}
    </>
  )
}

interface ContentProps extends Omit<FileEditorProps, "onClose"> {
  open: OpenFile
}

function Content({ sessionId, path, file, readOnly, open }: ContentProps) {
  const wraps = useBrowser((state) => state.preferences.editor_wraps)
  if (file && !isShown(file)) return <BinaryFile sessionId={sessionId} file={file} />
  if (open.error) return <Unreadable reason={open.error.message} onRetry={open.retry} />
  if (open.text === null) return <Waiting />
  return (
    <Suspense fallback={<Waiting />}>
      <CodeEditor
        path={path}
        text={open.text}
        readOnly={readOnly !== null}
        wraps={wraps}
        onEdit={(text) => open.dispatch({ type: "edited", text })}
      />
    </Suspense>
  )
}

function Waiting() {
  const late = useDelay(300)
  return late ? <Skeleton lines={9} className="pl-12" /> : null
}
