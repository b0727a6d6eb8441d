import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { useDeferredValue, useState } from "react"
import { useSearchParams } from "wouter"
import { useCommand } from "../../session/context/commands.ts"
import { useStoredFlag } from "../../session/preferences/use-stored-flag.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Skeleton } from "../../ui/notice.tsx"
import { Split } from "../../ui/split.tsx"
import { useTallScreen } from "../../ui/use-media.ts"
import { PreviewToggle } from "../preview/preview-toggle.tsx"
import { ConversationPane } from "./conversation/conversation.tsx"
import { Graph } from "./graph.tsx"

const Tree = lazyPart(async () => (await import("../files/tree-pane.tsx")).Tree, <Skeleton lines={5} />)
const Editor = lazyPart(async () => (await import("../files/editor-pane.tsx")).Editor, <Skeleton lines={8} />)
const Log = lazyPart(async () => (await import("./log/log.tsx")).Log, <Skeleton lines={6} />)
const PromptEditor = lazyPart(async () => (await import("../prompts/prompt-editor.tsx")).PromptEditor, <Skeleton />)
const PreviewPane = lazyPart(async () => (await import("../preview/preview-pane.tsx")).PreviewPane, <Skeleton />)

/** The run on a wide screen: the conversation, and next to it the preview, the files, and the log below them. */
export function WideRun() {
  const [path, open] = useActiveFile()
  const [prompted, setPrompted] = usePrompted()
  const [previewShown, showPreview] = useStoredFlag(localStorage, "switchyard.preview.shown")
  const togglePreview = () => showPreview(!previewShown)
  const tall = useTallScreen()
  const [logChosen, setLogShown] = useState<boolean | null>(null)
  // If the screen isn't tall enough, four panes would show nothing useful.
  const logShown = logChosen ?? (tall || !previewShown)
  // The conversation and graph are painted first. The panes render in a transition, which typing can interrupt.
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
        <Tree
          active={path}
          action={<PreviewToggle shown={previewShown} onToggle={togglePreview} />}
          onOpen={openFile}
        />
      }
      second={
        <Tabs
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
  const log = <Log />
  const preview = <PreviewPane onOpen={openFile} onClose={togglePreview} />
  return (
    <div data-region="main" tabIndex={-1} className="min-h-0">
      <Split
        direction="row"
        label="Width of the conversation"
        initial={34}
        least={[260, 300]}
        first={<ConversationPane onOpen={openFile} />}
        second={
          <div className="grid h-full min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]">
            <Graph onNode={(node) => setPrompted(node === prompted ? null : node)} />
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
  path: string | null
  prompted: NodeName | null
  setPrompted(node: NodeName | null): void
  onClose(): void
  onUse(): void
}

/** The centre: the file, or the prompt of the node that was clicked. */
function Tabs({ path, prompted, setPrompted, onClose, onUse }: TabsProps) {
  if (prompted === null) return <Editor path={path} onClose={onClose} onUse={onUse} />
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
        <PromptEditor node={prompted} onNode={setPrompted} />
      </div>
    </section>
  )
}

/**
 * Returns the file open next to the log: the chosen one, else one being written, else the first in the tree. A choice
 * survives moments at which its file doesn't exist.
 */
function useActiveFile(): [path: string | null, open: (path: string | null) => void] {
  const files = useSessionData(({ shown }) => shown.files.manifest.files)
  const writing = useSessionData(({ shown }) => shown.graph.writing)
  const [chosen, setChosen] = useState<{ path: string | null } | null>(null)
  const [first, setFirst] = useState<string | null>(null)
  const isWritten = (path: string | null) => path !== null && writing.includes(path)
  const isThere = (path: string | null) => isWritten(path) || files.some((file) => file.path === path)
  // The open file stays open even if a file that sorts before it arrives. Only the next file being written replaces it.
  const kept = isThere(first) ? first : (files[0]?.path ?? null)
  const shown = isWritten(first) ? first : (writing[0] ?? kept)
  if (shown !== first) setFirst(shown)
  const path = chosen !== null && (chosen.path === null || isThere(chosen.path)) ? chosen.path : shown
  return [path, (next) => setChosen({ path: next })]
}

/** Returns the node whose prompt is open next to the graph. It is in the URL, so going back closes it. */
function usePrompted(): [prompted: NodeName | null, setPrompted: (node: NodeName | null) => void] {
  const [search, setSearch] = useSearchParams()
  const prompted = NODE_NAMES.find((name) => name === search.get("prompt")) ?? null
  const setPrompted = (node: NodeName | null) => {
    if (node === prompted) return
    setSearch((before) => {
      if (node === null) before.delete("prompt")
      else before.set("prompt", node)
      return before
    })
  }
  return [prompted, setPrompted]
}
