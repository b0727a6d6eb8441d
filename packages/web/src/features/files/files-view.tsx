import { useLocation } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { useWideScreen } from "../../ui/use-media.ts"
import { Editor } from "./editor-pane.tsx"
import { Tree } from "./tree-pane.tsx"

/** The files on the whole screen: the tree next to the editor or, on phones, one at a time. */
export function FilesView({ path }: { path: string | null }) {
  const { sessionId } = useShownSession()
  const wide = useWideScreen()
  const [, go] = useLocation()
  const open = (file: string | null) => go(paths.files(sessionId, file ?? ""))
  if (!wide) {
    return path === null ? <Tree active={path} onOpen={open} /> : <Editor path={path} onClose={() => open(null)} />
  }
  return (
    <div className="grid min-h-0 grid-cols-[280px_minmax(0,1fr)]">
      <div className="min-h-0 border-r border-line">
        <Tree active={path} onOpen={open} />
      </div>
      <Editor path={path} onClose={() => open(null)} />
    </div>
  )
}
