import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { Suspense, useDeferredValue, useState } from "react"
import { useCommand } from "../../session/context/commands.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Skeleton } from "../../ui/notice.tsx"
import { Split } from "../../ui/split.tsx"
import { useTallScreen } from "../../ui/use-media.ts"
import { PreviewToggle } from "../preview/preview-toggle.tsx"
import { ConversationPane } from "./conversation/conversation.tsx"
import { Graph } from "./graph.tsx"
import { useActiveFile } from "./use-active-file.ts"
import { usePreviewShown } from "./use-preview-shown.ts"
import { usePrompted } from "./use-prompted.ts"

const Tree = lazyPart(async () => (await import("../files/tree-pane.tsx")).Tree)
const Editor = lazyPart(async () => (await import("../files/editor-pane.tsx")).Editor)
const Log = lazyPart(async () => (await import("./log/log.tsx")).Log)
const PromptEditor = lazyPart(async () => (await import("../prompts/prompt-editor.tsx")).PromptEditor)
const PreviewPane = lazyPart(async () => (await import("../preview/preview-pane.tsx")).PreviewPane)

/** The run on a wide screen: the conversation, and beside it what it makes: the preview, the files, and the log below. */
export function WideRun({ session }: { session: SessionStore }) {
  const [path, open] = useActiveFile(session)
  const [prompted, setPrompted] = usePrompted()
  const [previewShown, togglePreview] = usePreviewShown()
  const tall = useTallScreen()
  const [logChosen, setLogShown] = useState<boolean | null>(null)
  // On a low screen nothing of four panes would be seen.
  const logShown = logChosen ?? (tall || !previewShown)
  // Conversation and graph are painted first. The panes render in a transition, which typing can interrupt.
  const panes = useDeferredValue(true, false)
  useCommand("log", "Show or hide the log", () => setLogShown(!logShown))
  useCommand("preview", "Show or hide the preview", togglePreview)
  const openFile = (file: string) => {
    open(file)
    setPrompted(null)
  }
  const files = (
    <Split
      direction="row"
      label="Width of the files"
      initial={27}
      least={[184, 160]}
      first={
        <Suspense fallback={<Skeleton lines={5} />}>
          <Tree
            session={session}
            active={path}
            action={<PreviewToggle shown={previewShown} onToggle={togglePreview} />}
            onOpen={openFile}
          />
        </Suspense>
      }
      second={
        <Tabs
          session={session}
          path={path}
          prompted={prompted}
          setPrompted={setPrompted}
          onClose={() => open(null)}
          // The file in use stays open, whatever is written next.
          onUse={() => open(path)}
        />
      }
    />
  )
  const log = (
    <Suspense fallback={<Skeleton lines={6} />}>
      <Log session={session} />
    </Suspense>
  )
  const preview = (
    <Suspense fallback={<Skeleton />}>
      <PreviewPane session={session} onOpen={openFile} onClose={togglePreview} />
    </Suspense>
  )
  return (
    <div data-region="main" tabIndex={-1} className="min-h-0">
      <Split
        direction="row"
        label="Width of the conversation"
        initial={34}
        least={[260, 300]}
        first={<ConversationPane session={session} onOpen={openFile} />}
        second={
          <div className="grid h-full min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]">
            <Graph session={session} onNode={(node) => setPrompted(node === prompted ? null : node)} />
            <div className="min-h-0 border-t border-line">
              {panes && (
                <Split
                  direction="column"
                  label="Height of the preview"
                  initial={45}
                  least={[120, 210]}
                  first={previewShown ? preview : null}
                  second={
                    <Split
                      direction="column"
                      label="Height of the log"
                      initial={65}
                      least={[120, 90]}
                      first={files}
                      second={logShown ? log : null}
                    />
                  }
                />
              )}
            </div>
          </div>
        }
      />
    </div>
  )
}

interface TabsProps {
  session: SessionStore
  path: string | null
  prompted: NodeName | null
  setPrompted(node: NodeName | null): void
  onClose(): void
  onUse(): void
}

/** The centre: the file, or the prompt of the node that was clicked. */
function Tabs({ session, path, prompted, setPrompted, onClose, onUse }: TabsProps) {
  if (prompted === null) {
    return (
      <Suspense fallback={<Skeleton lines={8} />}>
        <Editor session={session} path={path} onClose={onClose} onUse={onUse} />
      </Suspense>
    )
  }
  return (
    <section aria-label="Prompt" data-region="editor" tabIndex={-1} className="flex h-full min-h-0 flex-col">
      <div className="flex h-9 shrink-0 items-center justify-between border-b border-line pr-2 pl-3">
        <h2 className="text-sm">Prompts</h2>
        <button
          type="button"
          onClick={() => setPrompted(null)}
          className="h-7 rounded-md px-2 text-sm text-ink-2 hover:bg-well hover:text-ink"
        >
          Back to the file
        </button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Suspense fallback={<Skeleton />}>
          <PromptEditor sessionId={session.sessionId} node={prompted} onNode={setPrompted} />
        </Suspense>
      </div>
    </section>
  )
}
