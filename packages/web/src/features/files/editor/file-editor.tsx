import type { ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { formatBytes, formatCount } from "@switchyard/core/text/format"
import { useMemo, useRef } from "react"
import { useBrowser } from "../../../session/context/studio.ts"
import { growsAt, type LiveFile, textOf } from "../../../session/stream/live-text.ts"
import { useReadOnly, useShownSession } from "../../../session/view/use-session.ts"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Empty, LateSkeleton } from "../../../ui/notice.tsx"
import { type OpenFile, useBuffer } from "../buffer/use-buffer.ts"
import { isShown } from "../buffer/use-file-text.ts"
import { useSaving } from "../buffer/use-saving.ts"
import { Conflict, Removed, SaveFailed, Unreadable } from "./editor-notices.tsx"
import { EditorTab } from "./editor-tab.tsx"

const waiting = <LateSkeleton lines={9} className="pl-12" />
const CodeEditor = lazyPart(async () => (await import("./code-editor.tsx")).CodeEditor, waiting)

export interface FileEditorProps {
  path: string
  /** The file at the moment shown; undefined if it didn't exist then. */
  file: ManifestFile | undefined
  /** The file while the coder is writing it. */
  written: LiveFile | undefined
  /** Set while the coder is working on this file, with the number of characters that it has thought about it. */
  awaited: { thinking: number } | null
  onClose(): void
}

/** A file, for viewing and editing. Unsaved text survives navigation and reloads. */
export function FileEditor({ path, file, written, awaited, onClose }: FileEditorProps) {
  const readOnly = useReadOnly()
  const open = useBuffer(path, file, readOnly !== null)
  const unsavedHere = open.dirty && readOnly === null
  const live = useWrittenText(written, open, file)
  const growing = unsavedHere ? undefined : live
  const locked = readOnly ?? (growing === undefined ? null : "Writing")
  const saving = useSaving(path, open, locked)
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
          <Content path={path} file={file} growing={growing} readOnly={locked !== null} open={open} />
        ) : awaited ? (
          <Awaited {...awaited} />
        ) : (
          <Empty title="File not found">It was deleted or hasn't been written yet. Once written, it opens here.</Empty>
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

/** Shows that the model is active before it begins the file. The count isn't announced. */
function Awaited({ thinking }: { thinking: number }) {
  if (thinking === 0) return <Empty title="Writing…">The text appears here as it's written.</Empty>
  return (
    <Empty title="Thinking…">
      <span aria-hidden className="nums">
        {formatCount(thinking, "character")} so far
      </span>
    </Empty>
  )
}

/** A text being written, and the offset at which it is growing. */
interface Growing {
  text: string
  at: number
}

/** Returns the text being written. After it is saved, it is kept until the saved text is loaded. */
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

interface ContentProps extends Pick<FileEditorProps, "path" | "file"> {
  readOnly: boolean
  /** Text of a file being written, shown instead of the saved one. */
  growing: Growing | undefined
  open: OpenFile
}

function Content({ path, file, growing, readOnly, open }: ContentProps) {
  const wraps = useBrowser((state) => state.preferences.editor_wraps)
  const text = growing?.text ?? open.text
  if (growing === undefined && file && !isShown(file)) return <BinaryFile file={file} />
  if (growing === undefined && open.error) return <Unreadable reason={open.error.message} onRetry={open.retry} />
  if (text === null) return waiting
  return (
    <CodeEditor
      path={path}
      text={text}
      follows={growing?.at}
      readOnly={readOnly}
      wraps={wraps}
      onEdit={(text) => open.dispatch({ type: "edited", text })}
    />
  )
}

/** A file that is binary or too large to show, so it can only be downloaded. */
function BinaryFile({ file }: { file: ManifestFile }) {
  const { sessionId, api } = useShownSession()
  const name = file.path.slice(file.path.lastIndexOf("/") + 1)
  const path = { id: sessionId, sha256: file.sha256 }
  const href = api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path, query: { filename: name } })
  return (
    <Empty title={file.binary ? "Binary file" : "This file is too large to display"}>
      <p className="nums">{formatBytes(file.size)}</p>
      <a
        href={href}
        download={name}
        className="mt-3 inline-block rounded-md border border-strong px-3 py-1.5 text-ink hover:bg-well"
      >
        Download {name}
      </a>
    </Empty>
  )
}
