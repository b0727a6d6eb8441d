import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import { Suspense } from "react"
import { useLocation, useSearchParams } from "wouter"
import { oneOf } from "../../api/decode.ts"
import { NarrowRun } from "../../features/run/narrow-run.tsx"
import { WideRun } from "../../features/run/wide-run.tsx"
import { paths } from "../../session/context/routes.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { workOf } from "../../session/stream/view.ts"
import { useReadOnly } from "../../session/view/use-read-only.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Skeleton } from "../../ui/notice.tsx"
import { useWideScreen } from "../../ui/use-media.ts"

const FilesView = lazyPart(async () => (await import("../../features/files/files-view.tsx")).FilesView)
const ChangesView = lazyPart(async () => (await import("../../features/changes/changes-view.tsx")).ChangesView)
const ChatPane = lazyPart(async () => (await import("../../features/chat/chat-pane.tsx")).ChatPane)
const PreviewPane = lazyPart(async () => (await import("../../features/preview/preview-pane.tsx")).PreviewPane)
const AgentsView = lazyPart(async () => (await import("../../features/agents/agents-view.tsx")).AgentsView)
const TeamView = lazyPart(async () => (await import("../../features/team/team-view.tsx")).TeamView)
const TrainView = lazyPart(async () => (await import("../../features/trains/train-view.tsx")).TrainView)
const BakeOffView = lazyPart(async () => (await import("../../features/bake-offs/bake-off-view.tsx")).BakeOffView)
const TerminalsView = lazyPart(async () => (await import("../../features/terminal/terminals-view.tsx")).TerminalsView)
const PromptEditor = lazyPart(async () => (await import("../../features/prompts/prompt-editor.tsx")).PromptEditor)

/** The view that the URL names. */
export function SessionView({ session, view }: { session: SessionStore; view: string }) {
  const wide = useWideScreen()
  const [, go] = useLocation()
  const id = session.sessionId
  if (view.startsWith("files")) {
    return (
      <Suspense fallback={<Skeleton lines={8} />}>
        <FilesView session={session} path={nameInAddress()} />
      </Suspense>
    )
  }
  if (view === "chat") {
    return (
      <Suspense fallback={<Skeleton />}>
        <ChatPane session={session} key={id} />
      </Suspense>
    )
  }
  if (view === "team") {
    return (
      <Suspense fallback={<Skeleton lines={8} />}>
        <TeamView session={session} key={id} />
      </Suspense>
    )
  }
  if (view === "preview") {
    return (
      <div data-region="main" tabIndex={-1} className="min-h-0">
        <Suspense fallback={<Skeleton />}>
          <PreviewPane session={session} onOpen={(file) => go(paths.files(id, file))} />
        </Suspense>
      </div>
    )
  }
  if (view.startsWith("prompts")) {
    return (
      <div data-region="main" tabIndex={-1} className="min-h-0 overflow-y-auto">
        <div className="mx-auto max-w-[860px]">
          <Suspense fallback={<Skeleton />}>
            <PromptEditor
              sessionId={id}
              node={oneOf(...NODE_NAMES).parse(view.slice("prompts/".length))}
              onNode={(node) => go(paths.prompts(id, node))}
            />
          </Suspense>
        </div>
      </div>
    )
  }
  if (view === "a" || view.startsWith("a/")) {
    return (
      <Suspense fallback={<Skeleton lines={8} />}>
        <AgentsView session={session} name={nameInAddress() ?? "main"} />
      </Suspense>
    )
  }
  if (view === "merge") {
    return (
      <Suspense fallback={<Skeleton lines={6} />}>
        <TrainView session={session} key={id} />
      </Suspense>
    )
  }
  if (view === "bake-offs") {
    return (
      <Suspense fallback={<Skeleton lines={6} />}>
        <BakeOffView session={session} key={id} />
      </Suspense>
    )
  }
  if (view.startsWith("changes")) return <Changes session={session} file={nameInAddress()} />
  if (view.startsWith("term")) return <Terminals session={session} view={view} />
  return wide ? <WideRun session={session} /> : <NarrowRun session={session} />
}

function Changes({ session, file }: { session: SessionStore; file: string | null }) {
  const [, go] = useLocation()
  const readOnly = useReadOnly(session)
  const [search] = useSearchParams()
  const newest = useSessionData(session, ({ live }) => live.run?.worktree ?? "main")
  const worktree = search.get("worktree") ?? newest
  const changedAt = useSessionData(session, ({ live }) => workOf(live.worktrees, worktree).changedSeq)
  const work = useSessionData(session, ({ shown }) => workOf(shown.worktrees, worktree))
  const warning = useSessionData(session, ({ shown }) => (worktree === newest ? (shown.run?.warning ?? null) : null))
  const about = search.size > 0 ? `?${search}` : ""
  return (
    <div data-region="main" tabIndex={-1} className="min-h-0 min-w-0">
      <Suspense fallback={<Skeleton />}>
        <ChangesView
          sessionId={session.sessionId}
          worktree={worktree}
          readOnly={readOnly}
          changedAt={changedAt}
          work={work}
          warning={warning}
          file={file}
          // Going through the files is no way that one goes back step by step.
          onFile={(path) => go(paths.changes(session.sessionId, path ?? "") + about, { replace: file !== null })}
        />
      </Suspense>
    </div>
  )
}

function Terminals({ session, view }: { session: SessionStore; view: string }) {
  const readOnly = useReadOnly(session)
  return (
    <Suspense fallback={<Skeleton />}>
      <TerminalsView session={session} pty={view.slice("term/".length) || null} readOnly={readOnly} />
    </Suspense>
  )
}

/**
 * The file's or agent's name after the view's, from the address itself: the router's text of it is decoded already, in part, so
 * that a file named `100%25.txt` would become another one.
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
