import type { ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { formatCount } from "@switchyard/core/text/format"
import { Suspense, useMemo, useRef } from "react"
import { useBrowser } from "../../../session/context/studio.ts"
import { growsAt, type LiveFile, textOf } from "../../../session/stream/live-text.ts"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Empty, Skeleton } from "../../../ui/notice.tsx"
import { useDelay } from "../../../ui/use-delay.ts"
import { type OpenFile, useBuffer } from "../buffer/use-buffer.ts"
import { isShown } from "../buffer/use-file-text.ts"
import { useSaving } from "../buffer/use-saving.ts"
import { BinaryFile } from "./binary-file.tsx"
import { Conflict, Removed, SaveFailed, Unreadable } from "./editor-notices.tsx"
import { EditorTab } from "./editor-tab.tsx"

const CodeEditor = lazyPart(async () => (await import("./code-editor.tsx")).CodeEditor)

export interface FileEditorProps {
  sessionId: string
  path: string
  /** The file at the moment that is shown; undefined if it doesn't exist then. */
  file: ManifestFile | undefined
  /** The file while the coder writes it. */
  written: LiveFile | undefined
  /** Set while the coder is at this file, with the characters that it has thought about it. */
  awaited: { thinking: number } | null
  /** The reason why nothing can be changed now; null when it can. */
  readOnly: string | null
  onClose(): void
}

/** One file, to view and edit. Unsaved text survives navigation and reloads. */
export function FileEditor(props: FileEditorProps) {
  return <Editor key={`${props.sessionId}:${props.path}`} {...props} />
}

function Editor({ sessionId, path, file, written, awaited, readOnly, onClose }: FileEditorProps) {
  const open = useBuffer(sessionId, path, file, readOnly !== null)
  const unsavedHere = open.dirty && readOnly === null
  const live = useWrittenText(written, open, file)
  const growing = unsavedHere ? undefined : live
  const locked = readOnly ?? (growing === undefined ? null : "Being written")
  const saving = useSaving(open, locked)
  return (
    <div id="agent-editor" className="flex h-full min-h-0 min-w-0 flex-col bg-sheet">
      <EditorTab
        path={path}
        text={growing?.text ?? open.text}
        dirty={open.dirty}
        stored={open.stored}
        saving={saving}
        onClose={onClose}
      />
      {open.buffer && readOnly === null && <Notices path={path} open={open} />}
      <div className="min-h-0 flex-1">
        {file || unsavedHere || growing !== undefined ? (
          <Content sessionId={sessionId} path={path} file={file} growing={growing} readOnly={locked} open={open} />
        ) : awaited ? (
          <Awaited {...awaited} />
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

/** The sign of life of a model that hasn't begun the file. Its count isn't announced. */
function Awaited({ thinking }: { thinking: number }) {
  if (thinking === 0) return <Empty title="Being written">The text appears here as it comes.</Empty>
  return (
    <Empty title="Thinking …">
      <span aria-hidden className="nums">
        {formatCount(thinking, "character")} so far
      </span>
    </Empty>
  )
}

/** A text that is being written, and the place in it at which it grows. */
interface Growing {
  text: string
  at: number
}

/** The text that is being written. Once it is saved, it stays until the saved text is loaded. */
function useWrittenText(written: LiveFile | undefined, open: OpenFile, file: ManifestFile | undefined) {
  const { sha256, text: committed } = open
  const last = useRef<Growing>(undefined)
  const growing = useMemo(() => {
    const text = written && textOf(written, { sha256, text: committed })
    return written && text !== undefined ? { text, at: growsAt(written) } : undefined
  }, [written, sha256, committed])
  if (growing !== undefined) last.current = growing
  else if (file === undefined || open.error || open.sha256 === file.sha256) last.current = undefined
  return last.current
}

interface ContentProps extends Omit<FileEditorProps, "onClose" | "written" | "awaited"> {
  /** The text of a file that is being written, in place of the saved one. */
  growing: Growing | undefined
  open: OpenFile
}

function Content({ sessionId, path, file, growing, readOnly, open }: ContentProps) {
  const wraps = useBrowser((state) => state.preferences.editor_wraps)
  const text = growing?.text ?? open.text
  if (growing === undefined && file && !isShown(file)) return <BinaryFile sessionId={sessionId} file={file} />
  if (growing === undefined && open.error) return <Unreadable reason={open.error.message} onRetry={open.retry} />
  if (text === null) return <Waiting />
  return (
    <Suspense fallback={<Waiting />}>
      <CodeEditor
        path={path}
        text={text}
        follows={growing?.at}
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
