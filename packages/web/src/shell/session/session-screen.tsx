import { clsx } from "clsx"
import { useEffect, useState } from "react"
import { Redirect, useLocation } from "wouter"
import { Timeline } from "../../features/run/timeline/timeline.tsx"
import { useCommand } from "../../session/context/commands.ts"
import { FileActions } from "../../session/context/file-actions.ts"
import { paths } from "../../session/context/routes.ts"
import { useAddressQuery } from "../../session/context/use-address-query.ts"
import { ShownSession, useSession, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { useStreams } from "../../session/view/use-streams.ts"
import { Button } from "../../ui/button.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Empty, Skeleton } from "../../ui/notice.tsx"
import { useDelay } from "../../ui/use-delay.ts"
import { SessionTabs } from "./session-tabs.tsx"
import { SessionView } from "./session-view.tsx"
import { useSessionViews } from "./session-views.ts"

const TabState = lazyPart(async () => (await import("./tab-state.ts")).TabState)
const GoneSession = lazyPart(async () => (await import("../../features/access/gone-session.tsx")).GoneSession)
const FileHistory = lazyPart(async () => (await import("../../features/versions/file-history.tsx")).FileHistory)

/** A session: its views, with the timeline below them. */
export function SessionScreen({ id, view }: { id: string; view: string }) {
  return (
    <ShownSession value={useSession(id)}>
      <TabState />
      <Views id={id} view={view} />
    </ShownSession>
  )
}

function Views({ id, view }: { id: string; view: string }) {
  const connection = useSessionData((data) => data.connection)
  const empty = useSessionData((data) => data.live.seq === 0)
  const deleted = useSessionData((data) => data.live.deleted)
  const replaying = useSessionData((data) => data.replaySeq !== null)
  const [, go] = useLocation()
  const views = useSessionViews()
  const [first] = views
  const goTo = (address: string) => {
    const found = views.find((one) => one.address === address)
    return found ? () => go(found.href(id)) : null
  }
  useReplayAddress()
  useCommand("go-run", "Go to build", () => go(paths.run(id)))
  useCommand("go-terminal", "Go to terminal", goTo("term"))
  useCommand("go-changes", "Go to changes", goTo("changes"))
  useCommand("go-chat", "Go to chat", goTo("chat"))
  useCommand("go-files", "Go to files", () => go(paths.files(id)))
  useCommand("go-preview", "Go to preview", () => go(paths.preview(id)))
  useCommand("go-prompts", "Go to prompts", () => go(paths.prompts(id)))

  if (connection.state === "gone" || deleted) return <GoneSession id={id} />
  if (empty && connection.state === "failed") {
    return (
      <Empty page title="Couldn't load the session">
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
      <OutageBanner />
      <SessionTabs view={view} />
      <FileActions value={FileHistory}>
        <SessionView view={view} />
      </FileActions>
      <Timeline />
    </div>
  )
}

/** Keeps the replayed moment in the URL, so that it can be shared. */
function useReplayAddress(): void {
  const session = useShownSession()
  const [query, change] = useAddressQuery()
  const linked = query.get("seq")
  const linkedSeq = Number(linked)
  const loaded = useSessionData(({ live, connection }) => live.seq > 0 && connection.state !== "loading")
  const replaySeq = useSessionData((data) => data.replaySeq)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the URL is read once, when there is something to show
  useEffect(() => {
    if (loaded && Number.isInteger(linkedSeq) && linkedSeq > 0) session.replay(linkedSeq)
  }, [session, loaded])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is another function each time
  useEffect(() => {
    if (!loaded) return
    const timer = setTimeout(() => {
      change({ seq: replaySeq === null ? null : String(replaySeq) }, { replace: true })
    }, 200)
    return () => clearTimeout(timer)
  }, [loaded, replaySeq, linked])
}

function Loading({ loaded }: { loaded: { loaded: number; total: number } | null }) {
  const late = useDelay(300)
  if (!late) return null
  return (
    <div className="p-6" aria-busy="true">
      {loaded && loaded.total > 0 && (
        <p role="status" className="mb-3 text-sm text-ink-3 nums">
          Loading event {loaded.loaded.toLocaleString()} of {loaded.total.toLocaleString()}
        </p>
      )}
      <Skeleton lines={8} />
    </div>
  )
}

/**
 * Says that the server is unreachable, and when the next attempt is. The region is always rendered, so that screen
 * readers announce changes.
 */
function OutageBanner() {
  const retryAt = useSessionData(({ connection }) => (connection.state === "reconnecting" ? connection.retryAt : null))
  return <div role="status">{retryAt !== null && <Outage retryAt={retryAt} />}</div>
}

/** Shorter outages aren't shown. */
const NOTICED_MS = 1_000

function Outage({ retryAt }: { retryAt: number }) {
  const streams = useStreams()
  const noticed = useDelay(NOTICED_MS)
  const seconds = useSecondsUntil(retryAt)
  useEffect(() => {
    if (!noticed) return
    const page = document.documentElement
    // Hides spinners, because they would suggest that something is happening.
    page.dataset.outage = ""
    return () => {
      delete page.dataset.outage
    }
  }, [noticed])
  if (!noticed) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-l-4 border-b-line border-l-need bg-need-bg py-1 pr-2 pl-3 text-sm">
      <p className="min-w-0 flex-1 basis-52">Disconnected from the server. Showing the last known state.</p>
      {/* Not announced, because it changes every second. */}
      <span aria-hidden className="text-ink-2 nums">
        {seconds > 0 ? `Retrying in ${seconds} s` : "Retrying"}
      </span>
      <Button size="sm" onClick={() => streams.retry()}>
        Retry now
      </Button>
    </div>
  )
}

function useSecondsUntil(at: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil((at - now) / 1000))
}
