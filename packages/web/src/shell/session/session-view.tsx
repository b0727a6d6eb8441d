import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import { Redirect, useLocation, useSearchParams } from "wouter"
import { oneOf } from "../../api/decode.ts"
import { NarrowRun } from "../../features/run/narrow-run.tsx"
import { WideRun } from "../../features/run/wide-run.tsx"
import { paths, type RunPane } from "../../session/context/routes.ts"
import { workOf } from "../../session/stream/view.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Skeleton } from "../../ui/notice.tsx"
import { useWideScreen } from "../../ui/use-media.ts"
import { useArePanes } from "./session-views.ts"

const waiting = <Skeleton lines={8} />
const FilesView = lazyPart(async () => (await import("../../features/files/files-view.tsx")).FilesView, waiting)
const ChangesView = lazyPart(async () => (await import("../../features/changes/changes-view.tsx")).ChangesView, waiting)
const ChatPane = lazyPart(async () => (await import("../../features/chat/chat-pane.tsx")).ChatPane, waiting)
const PreviewPane = lazyPart(async () => (await import("../../features/preview/preview-pane.tsx")).PreviewPane, waiting)
const AgentsView = lazyPart(async () => (await import("../../features/agents/agents-view.tsx")).AgentsView, waiting)
const TeamView = lazyPart(async () => (await import("../../features/team/team-view.tsx")).TeamView, waiting)
const TrainView = lazyPart(async () => (await import("../../features/trains/train-view.tsx")).TrainView, waiting)
const BakeOffView = lazyPart(
  async () => (await import("../../features/bake-offs/bake-off-view.tsx")).BakeOffView,
  waiting,
)
const TerminalsView = lazyPart(
  async () => (await import("../../features/terminal/terminals-view.tsx")).TerminalsView,
  waiting,
)
const PromptEditor = lazyPart(
  async () => (await import("../../features/prompts/prompt-editor.tsx")).PromptEditor,
  waiting,
)

/** The view named in the URL. */
export function SessionView({ view }: { view: string }) {
  const { sessionId: id } = useShownSession()
  const wide = useWideScreen()
  const [, go] = useLocation()
  const [search] = useSearchParams()
  const pane = useArePanes() ? paneOf(view) : null
  if (pane) {
    const seq = search.get("seq")
    return <Redirect to={paths.pane(id, pane.show, { ...pane.about, ...(seq && { seq }) })} replace />
  }
  if (view.startsWith("files")) return <FilesView path={nameInAddress()} />
  if (view === "chat") return <ChatPane key={id} />
  if (view === "team") return <TeamView key={id} />
  if (view === "preview") {
    return (
      <div data-region="main" tabIndex={-1} className="min-h-0">
        <PreviewPane onOpen={(file) => go(paths.files(id, file))} />
      </div>
    )
  }
  if (view.startsWith("prompts")) {
    return (
      <div data-region="main" tabIndex={-1} className="min-h-0 overflow-y-auto">
        <div className="mx-auto max-w-[860px]">
          <PromptEditor
            node={oneOf(...NODE_NAMES).parse(view.slice("prompts/".length))}
            onNode={(node) => go(paths.prompts(id, node))}
          />
        </div>
      </div>
    )
  }
  if (view === "a" || view.startsWith("a/")) return <AgentsView name={nameInAddress() ?? "main"} />
  if (view === "merge") return <TrainView key={id} />
  if (view === "bake-offs") return <BakeOffView key={id} />
  if (view.startsWith("changes")) return <Changes file={nameInAddress()} />
  if (view.startsWith("term")) return <Terminals view={view} />
  return wide ? <WideRun /> : <NarrowRun />
}

/** Returns the pane of the run screen that shows this view. */
function paneOf(view: string): { show: RunPane; about?: { file?: string; prompt?: string } } | null {
  if (view === "preview") return { show: "app" }
  if (view.startsWith("prompts/")) return { show: "graph", about: { prompt: view.slice("prompts/".length) } }
  if (!view.startsWith("files")) return null
  const file = nameInAddress()
  return { show: "code", ...(file !== null && { about: { file } }) }
}

function Changes({ file }: { file: string | null }) {
  const { sessionId } = useShownSession()
  const [, go] = useLocation()
  const [search] = useSearchParams()
  const newest = useSessionData(({ live }) => live.run?.worktree ?? "main")
  const worktree = search.get("worktree") ?? newest
  const changedAt = useSessionData(({ live }) => workOf(live.worktrees, worktree).changedSeq)
  const work = useSessionData(({ shown }) => workOf(shown.worktrees, worktree))
  const warning = useSessionData(({ shown }) => (worktree === newest ? (shown.run?.warning ?? null) : null))
  const about = search.size > 0 ? `?${search}` : ""
  return (
    <div data-region="main" tabIndex={-1} className="min-h-0 min-w-0">
      <ChangesView
        worktree={worktree}
        changedAt={changedAt}
        work={work}
        warning={warning}
        file={file}
        // Switching between files shouldn't add an entry to the history for each.
        onFile={(path) => go(paths.changes(sessionId, path ?? "") + about, { replace: file !== null })}
      />
    </div>
  )
}

function Terminals({ view }: { view: string }) {
  return <TerminalsView pty={view.slice("term/".length) || null} />
}

/**
 * Returns the file or agent name after the view in the URL. Reads the URL itself, because the router's value is already
 * partly decoded, so a file named `100%25.txt` would become a different one.
 */
function nameInAddress(): string | null {
  const [, _s, _id, _view, ...names] = location.pathname.split("/")
  const file = names.join("/")
  return file === "" ? null : decode(file)
}

function decode(file: string): string {
  try {
    return file.split("/").map(decodeURIComponent).join("/")
  } catch {
    return file
  }
}
