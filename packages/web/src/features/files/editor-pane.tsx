import { formatCount } from "@switchyard/core/text/format"
import { fileAt } from "../../session/stream/files.ts"
import { activeNode, writingFiles } from "../../session/stream/graph.ts"
import { thinkingOf } from "../../session/stream/live-text.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { StatusIcon } from "../../ui/icons.tsx"
import { Empty } from "../../ui/notice.tsx"
import { FileEditor } from "./editor/file-editor.tsx"

interface Props {
  path: string | null
  onClose(): void
  /** Called when the reader scrolls or works in the file. */
  onUse?(): void
}

/** A file, which is editable even during a run. */
export function Editor({ path, onClose, onUse }: Props) {
  const { sessionId } = useShownSession()
  const file = useSessionData(({ shown }) => (path === null ? undefined : fileAt(shown.files, path)))
  const written = useSessionData(({ shownText }) => (path === null ? undefined : shownText.files.get(path)))
  const awaited = useSessionData(({ shown }) => path !== null && writingFiles(shown.graph).includes(path))
  const thinking = useSessionData(({ shownText }) => thinkingOf(shownText, "coder"))
  const running = useSessionData(({ shown }) => isRunning(shown.run))
  return (
    <section
      aria-label="Editor"
      data-region="editor"
      tabIndex={-1}
      onWheel={onUse}
      onFocus={onUse}
      className="h-full min-h-0 min-w-0"
    >
      {path === null ? (
        <div id="agent-editor" className="h-full">
          {running ? <Planning /> : <Empty title="No file open">Select a file to open it.</Empty>}
        </div>
      ) : (
        <FileEditor
          key={`${sessionId}:${path}`}
          path={path}
          file={file}
          written={written}
          awaited={awaited ? { thinking } : null}
          onClose={onClose}
        />
      )}
    </section>
  )
}

const tasks = { planner: "Choosing files", architect: "Planning steps", coder: "Writing the first file" }

/** State of a run that has no files yet. */
function Planning() {
  const node = useSessionData(({ shown }) => activeNode(shown.graph))
  const thought = useSessionData(({ shownText }) => (node ? thinkingOf(shownText, node) : 0))
  return (
    <div className="flex h-full flex-col items-center justify-center gap-1 p-6 text-center">
      <p className="flex items-center gap-2 font-semibold text-ink-2">
        <StatusIcon state="busy" label={null} /> {node ? tasks[node] : "Starting"}…
      </p>
      {thought > 0 && <p className="text-sm text-ink-2 nums">Thinking: {formatCount(thought, "character")} so far</p>}
      <p className="max-w-[42ch] text-sm text-ink-3">The first file opens as soon as it's written.</p>
    </div>
  )
}
