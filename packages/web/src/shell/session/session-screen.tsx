import { clsx } from "clsx"
import { Suspense, useEffect } from "react"
import { Redirect, useLocation, useSearchParams } from "wouter"
import { Timeline } from "../../features/run/timeline/timeline.tsx"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import { useListedSession } from "../../session/list/use-sessions.ts"
import { useSession, useSessionData } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Empty, Skeleton } from "../../ui/notice.tsx"
import { useDelay } from "../../ui/use-delay.ts"
import { OutageBanner } from "./outage-banner.tsx"
import { SessionTabs } from "./session-tabs.tsx"
import { SessionView } from "./session-view.tsx"
import { useSessionViews } from "./session-views.ts"
import { usePageState } from "./use-page-state.ts"

const GoneSession = lazyPart(async () => (await import("../../features/access/gone-session.tsx")).GoneSession)

/** One session: its views, and the timeline below them. */
export function SessionScreen({ id, view }: { id: string; view: string }) {
  const session = useSession(id)
  const connection = useSessionData(session, (data) => data.connection)
  const empty = useSessionData(session, (data) => data.live.seq === 0)
  const deleted = useSessionData(session, (data) => data.live.deleted)
  const replaying = useSessionData(session, (data) => data.replaySeq !== null)
  const [, go] = useLocation()
  const views = useSessionViews(session)
  const [first] = views
  const goTo = (address: string) => {
    const found = views.find((one) => one.address === address)
    return found ? () => go(found.href(id)) : null
  }
  useReplayAddress(session)
  usePageState(session, useListedSession(id)?.name)
  useCommand("go-run", "Go to the run", () => go(paths.run(id)))
  useCommand("go-terminal", "Go to the terminal", goTo("term"))
  useCommand("go-changes", "Go to the changes", goTo("changes"))
  useCommand("go-chat", "Go to the chat", goTo("chat"))
  useCommand("go-files", "Go to the files", () => go(paths.files(id)))
  useCommand("go-preview", "Go to the preview", () => go(paths.preview(id)))
  useCommand("go-prompts", "Go to the prompts", () => go(paths.prompts(id)))

  if (connection.state === "gone" || deleted) {
    return (
      <Suspense>
        <GoneSession id={id} />
      </Suspense>
    )
  }
  if (empty && connection.state === "failed") {
    return (
      <Empty page title="The session can't be loaded">
        <p>{connection.message}</p>
        <p className="mt-2">The studio retries automatically.</p>
      </Empty>
    )
  }
  if (empty) return <Loading loaded={connection.state === "loading" ? connection : null} />
  if (view === "") return <Redirect to={first.href(id)} replace />
  return (
    <div
      className={clsx(
        "relative grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)_auto]",
        "short:grid-rows-[auto_auto_480px_auto] short:overflow-y-auto",
        replaying && "replaying",
      )}
    >
      <OutageBanner session={session} />
      <SessionTabs session={session} view={view} />
      <SessionView session={session} view={view} />
      <Timeline session={session} />
    </div>
  )
}

/** The replayed moment is in the URL, so that it can be shared. */
function useReplayAddress(session: ReturnType<typeof useSession>): void {
  const [search, setSearch] = useSearchParams()
  const linkedSeq = Number(search.get("seq"))
  const loaded = useSessionData(session, ({ live, connection }) => live.seq > 0 && connection.state !== "loading")
  const replaySeq = useSessionData(session, (data) => data.replaySeq)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the URL is read once, when there is something to show
  useEffect(() => {
    if (loaded && Number.isInteger(linkedSeq) && linkedSeq > 0) session.replay(linkedSeq)
  }, [session, loaded])
  useEffect(() => {
    if (!loaded) return
    const timer = setTimeout(() => {
      const wanted = replaySeq === null ? null : String(replaySeq)
      if (search.get("seq") === wanted) return
      setSearch(
        (before) => {
          if (wanted === null) before.delete("seq")
          else before.set("seq", wanted)
          return before
        },
        { replace: true },
      )
    }, 200)
    return () => clearTimeout(timer)
  }, [loaded, replaySeq, search, setSearch])
}

function Loading({ loaded }: { loaded: { loaded: number; total: number } | null }) {
  const late = useDelay(300)
  if (!late) return null
  return (
    <div className="p-6" aria-busy="true">
      {loaded && loaded.total > 0 && (
        <p role="status" className="mb-3 text-sm text-ink-3 nums">
          Reading event {loaded.loaded.toLocaleString()} of {loaded.total.toLocaleString()}
        </p>
      )}
      <Skeleton lines={8} />
    </div>
  )
}
