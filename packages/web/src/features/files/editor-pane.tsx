import { formatCount } from "@switchyard/core/text/format"
import { fileAt } from "../../session/stream/files.ts"
import { activeNode, writingFiles } from "../../session/stream/graph.ts"
import { thinkingOf } from "../../session/stream/live-text.ts"
import { isRunning } from "../../session/stream/run.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useReadOnly } from "../../session/view/use-read-only.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { Empty } from "../../ui/notice.tsx"
import { StatusIcon } from "../../ui/status-icon.tsx"
import { FileEditor } from "./editor/file-editor.tsx"

interface Props {
  session: SessionStore
  path: string | null
  onClose(): void
  /** Called when the reader scrolls in the file, or works in it. */
  onUse?(): void
}

/** One file, editable even during a run. */
export function Editor({ session, path, onClose, onUse }: Props) {
  const file = useSessionData(session, ({ shown }) => (path === null ? undefined : fileAt(shown.files, path)))
  const written = useSessionData(session, ({ shownText }) => (path === null ? undefined : shownText.files.get(path)))
  const awaited = useSessionData(session, ({ shown }) => path !== null && writingFiles(shown.graph).includes(path))
  const thinking = useSessionData(session, ({ shownText }) => thinkingOf(shownText, "coder"))
  const running = useSessionData(session, ({ shown }) => isRunning(shown.run))
  const readOnly = useReadOnly(session)
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
          {running ? <Planning session={session} /> : <Empty title="No file is open">Select a file to open it.</Empty>}
        </div>
      ) : (
        <FileEditor
          key={path}
          sessionId={session.sessionId}
          path={path}
          file={file}
          written={written}
          awaited={awaited ? { thinking } : null}
          readOnly={readOnly}
          onClose={onClose}
        />
      )}
    </section>
  )
}

const tasks = { planner: "Choosing the files", architect: "Planning the steps", coder: "Writing the first file" }

/** The state of a run that has no file yet. */
function Planning({ session }: { session: SessionStore }) {
  const node = useSessionData(session, ({ shown }) => activeNode(shown.graph))
  const thought = useSessionData(session, ({ shownText }) => (node ? thinkingOf(shownText, node) : 0))
  return (
    <div className="flex h-full flex-col items-center justify-center gap-1 p-6 text-center">
      <p className="flex items-center gap-2 font-semibold text-ink-2">
        <StatusIcon state="busy" label={null} /> {node ? tasks[node] : "Starting"} …
      </p>
      {thought > 0 && <p className="text-sm text-ink-2 nums">Thinking: {formatCount(thought, "character")} so far</p>}
      <p className="max-w-[42ch] text-sm text-ink-3">The first file opens as soon as it's written.</p>
    </div>
  )
}
